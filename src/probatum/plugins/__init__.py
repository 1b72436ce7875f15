"""How families, invariants and providers are written, found and called.

``protocols`` says what each must offer, ``draws`` is the only source of
chance, ``edits`` applies what a family decided, ``registry`` finds them by
name without importing what is not used.
"""

"""How families, invariants and providers are written, found and called.

``protocols`` says what each must offer, ``registry`` finds them by name
without importing what is not used. Beside them lies what several floors need
of a plugin's own means: ``draws`` (the only source of chance), ``edits``
(applying what a family decided), ``protect`` (what it may not touch),
``matching`` and ``unicode14`` (looking at text), ``references`` (``${NAME}``
in options).
"""

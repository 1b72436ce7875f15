"""Ways to reach a system under test, one file each.

``asked`` says what a system is shown of an input, ``wire`` reads the JSON in
which programs and recordings answer, ``process`` keeps a child process on a
leash, ``loops`` waits for coroutines, ``expired`` is how all of them say that
time is up.
"""

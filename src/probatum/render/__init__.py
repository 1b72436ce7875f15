"""What people and programs see of a value; pure functions, no I/O.

``text`` makes lines for a terminal, ``json`` documented documents whose fields
are only ever added to. Words live here alone, so that better words change no
stored id.
"""

"""Every stored noun, one a file, without behaviour.

``docs/format/records.md`` is the normative description; ``kinds`` says what
points to what, ``codec`` goes from bytes to records and back.
"""

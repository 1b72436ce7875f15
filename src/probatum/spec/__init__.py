"""From an authored YAML file to records, with every mistake in it found at once.

``load`` is the way in; ``compiled`` holds what comes out and imports neither
pydantic nor YAML, so that others may name its types for nothing. Between
them: ``source`` (bytes to text), ``tree`` (text to values), ``authored``
(values to typed models, declared with ``shapes``), ``params`` (values to the parameter structs of
families and rules), ``parts`` and ``assemble`` (models to records).
"""

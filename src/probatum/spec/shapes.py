"""How the authored models declare their keys, and the schema that pydantic checks them with.

The models are described to pydantic's core directly. Deriving the same
schemas from annotations is most of what importing pydantic costs, and every
run would wait for it.
"""

from collections.abc import Callable
from decimal import Decimal
from typing import Any, ClassVar, Final, NamedTuple

from pydantic_core import CoreConfig, CoreSchema, PydanticCustomError, core_schema

from probatum.spec import scalars


class Key(NamedTuple):
    """What one key of a mapping takes.

    Attributes:
        needed: Whether it must be written.
        default: What holds where it is not.
        about: A sentence for editors, if its name does not say it.
    """

    schema: CoreSchema
    needed: bool
    default: Any
    about: str


def needed(schema: CoreSchema) -> Any:
    """Declare a key that must be written."""
    return Key(schema, needed=True, default=None, about="")


def optional(schema: CoreSchema, default: Any = None, *, about: str = "") -> Any:
    """Declare a key that may be left out."""
    return Key(schema, needed=False, default=default, about=about)


class Authored:
    """Base of every authored mapping: no key is ignored, no value is guessed.

    Attributes:
        keys: The keys that it takes.
        schema: What pydantic checks it with.
    """

    # The places where pydantic's core leaves what it found.
    __slots__ = (
        "__dict__",
        "__pydantic_extra__",
        "__pydantic_fields_set__",
        "__pydantic_private__",
    )

    __pydantic_fields_set__: set[str]
    keys: ClassVar[dict[str, Key]]
    schema: ClassVar[CoreSchema]

    def __init_subclass__(cls) -> None:
        cls.keys = {name: key for name, key in vars(cls).items() if isinstance(key, Key)}
        fields = {}
        for name, key in cls.keys.items():
            if key.needed:
                delattr(cls, name)
                fields[name] = core_schema.model_field(key.schema)
            else:
                setattr(cls, name, key.default)
                filled = core_schema.with_default_schema(key.schema, default=key.default)
                fields[name] = core_schema.model_field(filled)
        cls.schema = core_schema.model_schema(
            cls, core_schema.model_fields_schema(fields), ref=cls.__name__, config=_CONFIG
        )

    def wrote(self, name: str) -> bool:
        """Tell whether the author wrote a key, be it with its default."""
        return name in getattr(self, "__pydantic_fields_set__", ())


_CONFIG: Final = CoreConfig(strict=True, extra_fields_behavior="forbid")


def _whole(value: object) -> int:
    try:
        return scalars.whole(value)
    except ValueError as error:
        raise PydanticCustomError("scalar", "{words}", {"words": str(error)}) from None


def _number(value: object) -> Decimal:
    try:
        return scalars.number(value)
    except ValueError as error:
        raise PydanticCustomError("scalar", "{words}", {"words": str(error)}) from None


def _truth(value: object) -> bool:
    try:
        return scalars.truth(value)
    except ValueError as error:
        raise PydanticCustomError("scalar", "{words}", {"words": str(error)}) from None


def _absent(value: object) -> object:
    return None if scalars.nothing(value) else value


def _read(function: Callable[[Any], Any], schema: CoreSchema, shown: CoreSchema) -> CoreSchema:
    return core_schema.no_info_before_validator_function(
        function, schema, json_schema_input_schema=shown
    )


def whole(least: int | None = None, most: int | None = None) -> CoreSchema:
    """Return the schema of whole numbers in a range."""
    schema = core_schema.int_schema(ge=least, le=most)
    return _read(_whole, schema, schema)


def number(*, least: int | None = None, above: int | None = None, most: int) -> CoreSchema:
    """Return the schema of exact numbers in a range."""
    schema = core_schema.decimal_schema(
        ge=None if least is None else Decimal(least),
        gt=None if above is None else Decimal(above),
        le=Decimal(most),
    )
    return _read(_number, schema, core_schema.float_schema(ge=least, gt=above, le=most))


def ratio(*, below: Callable[[Decimal], None] | None = None) -> CoreSchema:
    """Return the schema of proportions in [0, 1], with at most 18 decimals.

    Args:
        below: Called with the proportion, to refuse more.
    """

    def read(value: object) -> Decimal:
        found = _number(value)
        if not 0 <= found <= 1:
            raise PydanticCustomError("range", "must be between 0 and 1")
        if len(scalars.shortest(found)) > 20:
            raise PydanticCustomError("range", "has more than 18 decimals")
        if below is not None:
            below(found)
        return found

    bound: dict[str, Any] = {"le": 1} if below is None else {"lt": 1}
    return _read(read, core_schema.decimal_schema(), core_schema.float_schema(ge=0, **bound))


def truth() -> CoreSchema:
    """Return the schema of truth values."""
    schema = core_schema.bool_schema()
    return _read(_truth, schema, schema)


def or_nothing(schema: CoreSchema) -> CoreSchema:
    """Return the schema of what may also be written as nothing."""
    return _read(_absent, core_schema.nullable_schema(schema), schema)


def one_of(*words: str) -> CoreSchema:
    """Return the schema of a choice between words."""
    return core_schema.literal_schema(list(words))


def text(pattern: str | None = None) -> CoreSchema:
    """Return the schema of any text, or of what fits a pattern."""
    return core_schema.str_schema(pattern=pattern)


def filled() -> CoreSchema:
    """Return the schema of text that is not empty."""
    return core_schema.str_schema(min_length=1)


def many(schema: CoreSchema, *, least: int | None = None) -> CoreSchema:
    """Return the schema of lists."""
    return core_schema.list_schema(schema, min_length=least)


def mapping() -> CoreSchema:
    """Return the schema of mappings whose keys are checked elsewhere."""
    return core_schema.dict_schema(core_schema.str_schema(), core_schema.any_schema())


STRING, PARTS, MAPPING = LABELS = ("~string", "~parts", "~mapping")
"""What pydantic calls the shapes of a value that may have several; no part of a path."""


def text_or(label: str, kind: type, schema: CoreSchema) -> CoreSchema:
    """Return the schema of text, or of another shape that is told apart by its type."""
    return core_schema.tagged_union_schema(
        {STRING: core_schema.str_schema(), label: schema},
        lambda value: label if isinstance(value, kind) else STRING,
    )

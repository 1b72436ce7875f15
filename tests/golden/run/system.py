"""A system whose answers follow from its input alone, so that every id does."""

import json


def answer(text: str) -> str:
    """Answer well, unless the one word that matters is misspelled."""
    lowered = text.lower()
    if "json" in lowered:
        return json.dumps({"city": "Zürich" if "which" in lowered else None}, ensure_ascii=False)
    if not lowered.isascii() and "parcels" not in lowered and "z" not in lowered:
        return "はい"
    if "arrive" not in lowered:
        return "sorry, no idea"
    return "3 to 5 days to " + ("Zürich" if "z" in text else "ZÜRICH")

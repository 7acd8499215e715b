"""Documents drawn from a JSON Schema: such as it accepts, and such with a mistake in them.

It reads the published files only, so that what it draws owes nothing to the classes.
"""

from typing import Any

from hypothesis import strategies as st

_ODD: st.SearchStrategy[Any] = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**60), 2**60),
    st.just(1.5),
    st.text(max_size=3),
    st.just([]),
    st.just({}),
    st.just([1]),
    st.just({"x": 1}),
)
_TEXT = st.text(st.characters(exclude_categories=["Cs"]), max_size=6)


@st.composite
def documents(draw: st.DrawFn, schema: dict[str, Any], *, mistakes: bool = True) -> Any:
    """A document of the schema; with `mistakes`, often with a few things in it changed."""
    maker = _Maker(draw, schema, draw(st.integers(0, 2)) if mistakes else 0)
    return maker.value(schema, depth=0)


class _Maker:
    def __init__(self, draw: st.DrawFn, schema: dict[str, Any], mistakes: int) -> None:
        self.draw = draw
        self.definitions = schema.get("$defs", {})
        self.mistakes = mistakes

    def value(self, schema: Any, depth: int) -> Any:
        if self.mistakes and self.draw(st.integers(0, 9)) == 0:
            self.mistakes -= 1
            return self.draw(_ODD)
        if "$ref" in schema:
            return self.value(self.definitions[schema["$ref"].rpartition("/")[2]], depth)
        if "anyOf" in schema:
            return self.value(self.draw(st.sampled_from(schema["anyOf"])), depth)
        for word in ("const", "enum"):
            if word in schema:
                choices = schema[word] if word == "enum" else [schema[word]]
                return self.draw(st.sampled_from(choices))
        kind = schema["type"]
        if isinstance(kind, list):
            kind = self.draw(st.sampled_from(kind))
        made: Any = getattr(self, f"_{kind}")(schema, depth)
        return made

    def _string(self, schema: Any, depth: int) -> str:
        del depth
        if "pattern" in schema:
            return self.draw(
                st.from_regex(schema["pattern"], alphabet=st.characters(codec="utf-8"))
            )
        least = schema.get("minLength", 0)
        return self.draw(_TEXT.filter(lambda text: len(text) >= least))

    def _integer(self, schema: Any, depth: int) -> int:
        del depth
        return self.draw(st.integers(schema.get("minimum", -9), schema.get("maximum", 9)))

    def _boolean(self, schema: Any, depth: int) -> bool:
        del schema, depth
        return self.draw(st.booleans())

    def _null(self, schema: Any, depth: int) -> None:
        del schema, depth

    def _array(self, schema: Any, depth: int) -> list[Any]:
        least = schema.get("minItems", 0)
        number = max(least, self._number(0 if depth > 5 else 2))
        items = [self.value(schema["items"], depth + 1) for _ in range(number)]
        if schema.get("uniqueItems") and not self.mistakes:
            items = [item for n, item in enumerate(items) if item not in items[:n]]
        return items

    def _object(self, schema: Any, depth: int) -> dict[str, Any]:
        properties = schema.get("properties", {})
        required = set(schema.get("required", ()))
        names = {*required, *self._some(sorted(set(properties) - required), depth)}
        made = {
            name: self.value(held, depth + 1)
            for name, held in properties.items()
            if name in names and not self._forgets()
        }
        if isinstance(schema.get("additionalProperties"), dict):
            extra = schema["additionalProperties"]
            made |= {self.draw(_TEXT): self.value(extra, depth + 1) for _ in range(self._number(2))}
        elif self._forgets():
            made["not_a_key"] = 1
        return self._conditions(schema, made, depth)

    def _conditions(self, schema: Any, made: dict[str, Any], depth: int) -> dict[str, Any]:
        """Obey `oneOf` required keys and rows of `if … then …` over one property."""
        if "oneOf" in schema and not self.mistakes:
            chosen = self.draw(st.sampled_from(schema["oneOf"]))["required"][0]
            for arm in schema["oneOf"]:
                made.pop(arm["required"][0], None)
            made[chosen] = self.value(schema["properties"][chosen], depth + 1)
        for row in self._rows(schema):
            if all(made.get(n) == c["const"] for n, c in row["if"]["properties"].items()):
                self._obey(row["then"], schema, made, depth)
        return made

    def _rows(self, schema: Any) -> list[Any]:
        shared = [self.definitions[r["$ref"].rpartition("/")[2]] for r in schema.get("allOf", ())]
        return [row for one in shared for row in one["allOf"]]

    def _obey(self, then: Any, schema: Any, made: dict[str, Any], depth: int) -> None:
        if self.mistakes and self._forgets():
            return
        for name, held in then["properties"].items():
            if name in made and (held is False or "maxItems" in held):
                del made[name]
            elif name in made and "enum" in held:
                made[name] = self.draw(st.sampled_from(held["enum"]))
        bound = then.get("dependentRequired", {})
        others = [other for name in bound if name in made for other in bound[name]]
        for name in (*then.get("required", ()), *others):
            if name not in made:
                made[name] = self.value(schema["properties"][name], depth + 1)

    def _some(self, names: list[str], depth: int) -> list[str]:
        if not names or depth > 6:
            return []
        return self.draw(st.lists(st.sampled_from(names), max_size=3, unique=True))

    def _number(self, most: int) -> int:
        return self.draw(st.integers(0, most))

    def _forgets(self) -> bool:
        if self.mistakes and self.draw(st.integers(0, 9)) == 0:
            self.mistakes -= 1
            return True
        return False

"""How an engine spells what a record says: numbers, times, and what stands for several texts.

Whole numbers, decimals and times are read by one pattern each, on every engine: casts alone differ,
and take `1e3`, `0x1A`, ` 12 ` or `T24:00:00Z` here and refuse them there. A time has up to nine
digits of a second, cut to microseconds, and no zone, which is UTC, or one as in RFC 3339; also
BigQuery's own text, with a space before the hour and ` UTC` behind.

All SQL here is in DuckDB's dialect; other engines' functions pass through its translation.
"""

from collections.abc import Sequence

WHOLE_NUMBER = "(0|-?[1-9][0-9]{0,18})([.]0+)?"
"""As JSON writes it; beyond 64 bits it is none."""
DECIMAL = "-?(0|[1-9][0-9]*)([.][0-9]+)?([eE][+-]?[0-9]+)?"
TIME = (
    "([1-9][0-9]{3}|0[1-9][0-9]{2}|00[1-9][0-9]|000[1-9])-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])"
    "[T ]([01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]([.][0-9]{1,9})?"
    "(Z| UTC|[+-](0[0-9]|1[0-4]):[0-5][0-9])?"
)
"""A day that its month does not have is none."""

Bounds = tuple[int, int]
"""Least and greatest number."""


class Spelling:
    """The same on engines that know the functions of the subset and `REGEXP_REPLACE`.

    An engine's own says how it turns a time into microseconds, and texts into a number.
    """

    def number_of(self, parts: Sequence[str]) -> str:
        """Return a number of 63 bits that stands for some values, NULL ones among them."""
        raise NotImplementedError

    def microseconds(self, time: str) -> str:
        """Return a value of a time's type, with a zone, as microseconds since 1970."""
        raise NotImplementedError

    def product(self, number: str, factor: int) -> str:
        """Return the product of a floating number; beyond all numbers it is infinite, or NULL."""
        return f"{number} * {factor}"

    def whole_number(self, text: str, bounds: Bounds | None = None) -> str:
        """Return a text as a whole number, NULL when it is none or out of bounds.

        One that is written as the number is needs no pattern.
        """
        number = f"TRY_CAST({text} AS BIGINT)"
        other = f"TRY_CAST(REGEXP_REPLACE({text}, '[.]0+$', '') AS BIGINT)"

        def within(number: str) -> str:
            return f" AND {number} BETWEEN {bounds[0]} AND {bounds[1]}" if bounds else ""

        return (
            f"CASE WHEN CAST({number} AS VARCHAR) = {text}{within(number)} THEN {number}"
            f" WHEN {_is(text, WHOLE_NUMBER)}{within(other)} THEN {other} END"
        )

    def decimal(self, text: str) -> str:
        """Return a text as a number, NULL when it is none."""
        return f"CASE WHEN {_is(text, DECIMAL)} THEN TRY_CAST({text} AS DOUBLE) END"

    def time_us(self, text: str) -> str:
        """Return a text as microseconds since 1970, NULL when it is no time."""
        day_and_hour = f"CONCAT(SUBSTR({text}, 1, 10), ' ', SUBSTR({text}, 12, 8), '+00:00')"
        whole = self.microseconds(f"TRY_CAST({day_and_hour} AS TIMESTAMPTZ)")
        digits = f"REGEXP_REPLACE(SUBSTR({text}, 21, 9), '[^0-9].*$', '')"
        fraction = f"TRY_CAST(SUBSTR(CONCAT({digits}, '000000'), 1, 6) AS BIGINT)"
        hours = f"TRY_CAST(SUBSTR({text}, LENGTH({text}) - 4, 2) AS BIGINT)"
        minutes = f"TRY_CAST(SUBSTR({text}, LENGTH({text}) - 1, 2) AS BIGINT)"
        zone = f"({hours} * 60 + {minutes}) * 60000000"
        return (
            f"CASE WHEN {_is(text, TIME)} THEN {whole}"
            f" + CASE WHEN SUBSTR({text}, 20, 1) = '.' THEN {fraction} ELSE 0 END"
            f" - CASE SUBSTR({text}, LENGTH({text}) - 5, 1)"
            f" WHEN '+' THEN {zone} WHEN '-' THEN -1 * {zone} ELSE 0 END END"
        )


class DuckDbSpelling(Spelling):
    """DuckDB's, which proves common texts strict by cheaper means than a pattern.

    A pattern takes 130 ns for a time and 45 ns for a number, of 2,700 ns of a whole record.
    """

    def number_of(self, parts: Sequence[str]) -> str:
        """Return the engine's hash of the values."""
        return f"CAST(hash({', '.join(parts)}) % {_MOST_NUMBER} AS BIGINT)"

    def microseconds(self, time: str) -> str:
        """Return a time as microseconds since 1970."""
        return f"epoch_us({time})"

    def whole_number(self, text: str, bounds: Bounds | None = None) -> str:
        """Return a text as a whole number: one that is written as the number is."""
        number = f"TRY_CAST({text} AS BIGINT)"
        within = f" AND {number} BETWEEN {bounds[0]} AND {bounds[1]}" if bounds else ""
        return (
            f"CASE WHEN CAST({number} AS VARCHAR) = {text}{within} THEN {number}"
            f" WHEN regexp_full_match({text}, '{WHOLE_NUMBER}'){within} THEN {number} END"
        )

    def decimal(self, text: str) -> str:
        """Return a text as a number."""
        return (
            f"CASE WHEN regexp_full_match({text}, '{DECIMAL}') THEN TRY_CAST({text} AS DOUBLE) END"
        )

    def time_us(self, text: str) -> str:
        """Return a text as microseconds: `strptime` is strict where the signs stand in place."""
        usual = f"epoch_ns(TRY_STRPTIME({text}, '%Y-%m-%dT%H:%M:%S.%nZ')) // 1000"
        other = f"epoch_us(TRY_CAST({text} AS TIMESTAMPTZ))"
        return (
            f"COALESCE(CASE WHEN {text} LIKE '____-__-__T__:__:__.%Z' THEN {usual} END,"
            f" CASE WHEN regexp_full_match({text}, '{TIME}') THEN {other} END)"
        )


class SparkSpelling(Spelling):
    """Functions of Spark's own, which pass through the translation."""

    def number_of(self, parts: Sequence[str]) -> str:
        """Return a hash of the texts; one that is NULL would be as if it were not there."""
        texts = ", ".join(f"COALESCE(CAST({part} AS VARCHAR), '{_NONE}')" for part in parts)
        return f"(xxhash64({texts}) & {_MOST_NUMBER})"

    def microseconds(self, time: str) -> str:
        """Return a time as microseconds since 1970."""
        return f"unix_micros({time})"

    def time_us(self, text: str) -> str:
        """Return a text as microseconds: Spark's cast knows every form that the pattern lets by.

        Each of its parts by itself takes three times as long.
        """
        return (
            f"CASE WHEN REGEXP_MATCHES({text}, '^{TIME}\\z')"
            f" THEN {self.microseconds(f'TRY_CAST({text} AS TIMESTAMPTZ)')} END"
        )


class BigQuerySpelling(Spelling):
    """Functions of BigQuery's own, which pass through the translation."""

    def number_of(self, parts: Sequence[str]) -> str:
        """Return a fingerprint of the texts, between which stands what none of them has."""
        texts = f", '{_NONE}', ".join(
            f"COALESCE(CAST({part} AS VARCHAR), '{_NONE}')" for part in parts
        )
        return f"(FARM_FINGERPRINT(CONCAT({texts})) & {_MOST_NUMBER})"

    def microseconds(self, time: str) -> str:
        """Return a time as microseconds since 1970."""
        return f"UNIX_MICROS({time})"

    def product(self, number: str, factor: int) -> str:
        """Return the product of a floating number: `*` refuses the query where it overflows."""
        return f"SAFE_MULTIPLY({number}, {factor})"


class LenientSpelling(DuckDbSpelling):
    """DuckDB's casts as they are: for plain tables, which only DuckDB reads."""

    def whole_number(self, text: str, bounds: Bounds | None = None) -> str:
        """Return what the engine takes for a whole number."""
        number = f"TRY_CAST({text} AS BIGINT)"
        if bounds is None:
            return number
        return f"CASE WHEN {number} BETWEEN {bounds[0]} AND {bounds[1]} THEN {number} END"

    def decimal(self, text: str) -> str:
        """Return what the engine takes for a number."""
        return f"TRY_CAST({text} AS DOUBLE)"

    def time_us(self, text: str) -> str:
        """Return what the engine takes for a time; one without a zone is UTC."""
        return f"epoch_us(TRY_CAST({text} AS TIMESTAMPTZ))"


DUCKDB = DuckDbSpelling()
LENIENT = LenientSpelling()
SPARK = SparkSpelling()
BIGQUERY = BigQuerySpelling()

_MOST_NUMBER = (1 << 63) - 1
_NONE = "\x1d"
"""Stands for no text in a hash."""


def _is(text: str, pattern: str) -> str:
    """Return whether the whole of a text is of a pattern.

    `$` would also match before a line's end in some engines; what is left over does not lie.
    """
    return f"({text} <> '' AND REGEXP_REPLACE({text}, '^{pattern}$', '') = '')"

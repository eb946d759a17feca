"""The words of business questions that the rules know: what is measured, and what it is grouped by."""

import re
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Term:
    """A notion with its name in English and Korean, the words for it, and the beginnings of its columns' names."""

    english: str
    korean: str
    words: str
    columns: tuple[str, ...] = ()

    def name(self, language: str) -> str:
        """The name in a language."""
        return self.korean if language == "ko" else self.english


GROUPS: tuple[Term, ...] = (
    Term("region", "지역", r"regions?|지역", ("region", "area")),
    Term("department", "부서", r"departments?|depts?|부서", ("department", "dept")),
    Term("product", "상품", r"products?|items?|상품|제품|품목", ("product", "item")),
    Term("category", "분류", r"categor(?:y|ies)|분류|카테고리", ("category",)),
    Term("customer", "고객", r"customers?|clients?|고객(?:사)?|거래처", ("customer", "client")),
    Term(
        "employee", "담당자", r"employees?|salespe(?:rson|ople)|sellers?|담당자|직원|영업사원", ("employee", "seller")
    ),
    Term("team", "팀", r"teams?|팀", ("team",)),
    Term("store", "매장", r"stores?|branch(?:es)?|shops?|매장|지점", ("store", "branch", "shop")),
    Term("country", "나라", r"countr(?:y|ies)|나라|국가", ("country",)),
    Term("city", "도시", r"cit(?:y|ies)|도시", ("city",)),
    Term("channel", "채널", r"channels?|채널", ("channel",)),
    Term("status", "상태", r"status(?:es)?|상태", ("status", "state")),
    Term("day", "일", r"days?|dates?|일자|날짜", ("day", "date")),
    Term("month", "월", r"months?|월", ("month",)),
)
MEASURES: tuple[Term, ...] = (
    Term("sales", "매출", r"\b(?:sales|revenue|turnover)\b|매출(?:액)?"),
    Term("the number of orders", "주문 수", r"number of orders|order counts?|주문\s?(?:건\s?)?수|주문\s?건수"),
    Term("the number of customers", "고객 수", r"number of customers|고객\s?수"),
    Term("quantity", "수량", r"\bquantit(?:y|ies)\b|수량|판매량"),
    Term("profit", "이익", r"\b(?:profit|margin)\b|이익|마진"),
    Term("cost", "비용", r"\bcosts?\b|비용"),
    Term("stock", "재고", r"\b(?:stock|inventory)\b|재고"),
    Term("the average", "평균", r"\baverages?\b|평균"),
)


def grouped_by(text: str) -> Sequence[Term]:
    """What the text wants grouped by, without what it says it does not want."""
    return [term for term in GROUPS if _wants(term, text)]


def measured(text: str) -> Sequence[Term]:
    """What the text wants measured, in the order it is named."""
    found = [(match.start(), term) for term in MEASURES if (match := re.search(term.words, text, re.IGNORECASE))]
    return [term for _, term in sorted(found, key=lambda item: item[0])]


def _wants(term: Term, text: str) -> bool:
    word = f"(?:{term.words})"
    wanted = rf"\b(?:by|per|for each|for every|each)\s+(?:the\s+)?{word}\b|\band\s+(?:by\s+)?{word}\b|{word}\s?별"
    unwanted = (
        rf"\b(?:not|no longer)\s+(?:\w+\s+)?(?:by|per)\s+{word}\b|\b(?:instead of|rather than)\s+(?:by\s+)?{word}\b"
        rf"|{word}\s?별(?:로)?\s*(?:말고|이?\s?아니|대신)"
    )
    rest = re.sub(unwanted, " ", text, flags=re.IGNORECASE)
    return re.search(wanted, rest, re.IGNORECASE) is not None

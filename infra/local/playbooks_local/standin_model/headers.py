"""Column names as a reader's headers."""

from playbooks_local.standin_model.speech import KOREAN

_KOREAN = {
    "department": "부서", "dept": "부서", "team": "팀", "region": "지역", "customer": "고객", "product": "상품",
    "category": "분류", "employee": "담당자", "name": "이름", "sales": "매출", "revenue": "매출", "amount": "금액",
    "total": "합계", "orders": "주문 수", "order": "주문", "count": "건수", "quantity": "수량", "price": "가격",
    "average": "평균", "avg": "평균", "date": "날짜", "day": "날짜", "week": "주", "month": "월", "year": "연도",
    "status": "상태", "id": "번호", "before": "전", "previous": "이전", "share": "비중", "change": "증감",
}  # fmt: skip
_KOREAN_ENDINGS = {
    "_week_before": "그 전주 {}", "_last_week": "지난주 {}", "_previous_week": "그 전주 {}",
    "_month_before": "그 전월 {}", "_last_month": "지난달 {}", "_before": "이전 {}", "_previous": "이전 {}",
}  # fmt: skip


def header(column: str, language: str) -> str:
    """`sales_week_before` is "Sales week before" or "그 전주 매출"; a name with unknown words stays as it is."""
    if language == KOREAN:
        return _korean(column.lower()) or column
    words = column.replace("_", " ").strip()
    return words[:1].upper() + words[1:] if words else column


def _korean(column: str) -> str | None:
    for ending, pattern in _KOREAN_ENDINGS.items():
        if column.endswith(ending) and (first := _korean(column.removesuffix(ending))) is not None:
            return pattern.format(first)
    words = [_KOREAN.get(word) for word in column.split("_") if word]
    return " ".join(word for word in words if word) if words and all(words) else None

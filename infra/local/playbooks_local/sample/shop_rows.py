"""The rows of the sample shop: the same seed and moment give the same rows."""

import random
from collections.abc import Iterator
from dataclasses import dataclass, field
from datetime import datetime, timedelta

DAYS = 120
DEPARTMENTS = ("Online", "Retail", "Corporate", "Education", "Healthcare", "Public sector")
_SHARE = (34, 26, 17, 11, 8, 4)
_REGIONS = ("Seoul", "Busan", "Incheon", "Daegu", "Gwangju", "Jeju")
_REGION_SHARE = (45, 20, 13, 11, 8, 3)
_CATEGORIES = ("Desks", "Chairs", "Lamps", "Shelves", "Screens", "Cables", "Paper", "Tools")
_FAMILY = ("Kim", "Lee", "Park", "Choi", "Jung", "Kang", "Cho", "Yoon", "Jang", "Lim")
_GIVEN = ("Minseo", "Jiho", "Seoyeon", "Haneul", "Dohyun", "Yuna", "Taeyang", "Sora", "Hyunwoo", "Ara")
_COMPANY = ("Haneul", "Badak", "Saebyeok", "Moru", "Garam", "Narae", "Onnuri", "Dasom", "Baram", "Maru")
_BRANCH = ("Trading", "Foods", "Logistics", "Studio", "Clinic", "Academy", "Works", "Partners", "Systems", "Books")
_WEEKDAY_SHARE = (1.25, 1.1, 1.05, 1.0, 1.15, 0.55, 0.4)
_STATUSES = ("paid", "shipped", "delivered")
_ITEMS_SHARE = (34, 30, 18, 10, 8)

Line = tuple[object, ...]


@dataclass(frozen=True, slots=True)
class Sizes:
    """How many rows; orders have 2.3 lines on average, so the default shop has about 250,000 rows."""

    employees: int = 72
    customers: int = 9_000
    products: int = 480
    orders: int = 66_000
    quotes: int = 22_000


@dataclass
class ShopRows:
    """Rows by table, in the order the tables' foreign keys ask for. `now` carries the zone the shop lives in."""

    now: datetime
    seed: int = 20_260
    sizes: Sizes = field(default_factory=Sizes)

    def __post_init__(self) -> None:
        self._random = random.Random(self.seed)  # noqa: S311 - made-up data, nothing secret
        self._prices: list[int] = []
        self._sellers: list[list[int]] = [[] for _ in DEPARTMENTS]
        self._items: list[Line] = []

    def tables(self) -> Iterator[tuple[str, Iterator[Line]]]:
        """Table by table; exhaust one before the next. Timestamps are aware, prices are texts with two decimals."""
        yield "departments", ((number, name) for number, name in enumerate(DEPARTMENTS, 1))
        yield "employees", self._employees()
        yield "customers", self._customers()
        yield "products", self._products()
        yield "quotes", self._quotes()
        yield "orders", self._orders()
        yield "order_items", iter(self._items)

    def _employees(self) -> Iterator[Line]:
        choose = self._random
        for number in range(1, self.sizes.employees + 1):
            first_of_each = number <= len(DEPARTMENTS)
            department = number - 1 if first_of_each else choose.choices(range(len(DEPARTMENTS)), _SHARE)[0]
            self._sellers[department].append(number)
            name = f"{choose.choice(_GIVEN)} {choose.choice(_FAMILY)}"
            hired = self.now.date() - timedelta(days=DAYS + choose.randrange(3_000))
            yield number, name, department + 1, hired

    def _customers(self) -> Iterator[Line]:
        choose = self._random
        for number in range(1, self.sizes.customers + 1):
            company = f"{choose.choice(_COMPANY)} {choose.choice(_BRANCH)} {number}"
            region = choose.choices(_REGIONS, _REGION_SHARE)[0]
            since = self.now.date() - timedelta(days=DAYS + choose.randrange(2_000))
            yield number, company, region, f"orders@customer{number}.example", since

    def _products(self) -> Iterator[Line]:
        choose = self._random
        for number in range(1, self.sizes.products + 1):
            category = choose.choice(_CATEGORIES)
            cents = round(choose.lognormvariate(8.4, 0.9)) + 190
            self._prices.append(cents)
            yield number, f"{category.removesuffix('s')} {number:03d}", category, _money(cents)

    def _quotes(self) -> Iterator[Line]:
        choose = self._random
        for number, at in enumerate(self._moments(self.sizes.quotes), 1):
            cents = round(choose.lognormvariate(11.2, 0.8))
            yield number, self._customer(), self._seller(), at, _money(cents), choose.random() < 0.18

    def _orders(self) -> Iterator[Line]:
        choose, prices = self._random, self._prices
        for number, at in enumerate(self._moments(self.sizes.orders), 1):
            total = 0
            for line in range(1, choose.choices(range(1, len(_ITEMS_SHARE) + 1), _ITEMS_SHARE)[0] + 1):
                product = choose.randrange(len(prices))
                quantity = 1 + int(choose.random() ** 3 * 12)
                total += quantity * prices[product]
                self._items.append((number, line, product + 1, quantity, _money(prices[product])))
            status = "cancelled" if choose.random() < 0.06 else choose.choice(_STATUSES)
            yield number, self._customer(), self._seller(), at, status, _money(total)

    def _moments(self, count: int) -> list[datetime]:
        """Ascending moments of the last 120 days up to now: busier by day, on weekdays, and as time goes on."""
        choose = self._random
        midnight = self.now.replace(hour=0, minute=0, second=0, microsecond=0, fold=0)
        days = [midnight - timedelta(days=back) for back in range(DAYS - 1, -1, -1)]
        weights = [_WEEKDAY_SHARE[day.weekday()] * (1 + number / DAYS) for number, day in enumerate(days)]
        picked = choose.choices(days, weights, k=count)
        moments = [day + timedelta(seconds=int(choose.betavariate(3, 2.5) * 86_399)) for day in picked]
        return sorted(moment if moment < self.now else moment - timedelta(days=7) for moment in moments)

    def _customer(self) -> int:
        return 1 + int(self._random.random() ** 2 * self.sizes.customers)

    def _seller(self) -> int:
        department = self._random.choices(range(len(DEPARTMENTS)), _SHARE)[0]
        return self._random.choice(self._sellers[department])


def _money(cents: int) -> str:
    return f"{cents // 100}.{cents % 100:02d}"

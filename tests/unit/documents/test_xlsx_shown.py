"""What a spreadsheet program shows, where one is installed."""

import shutil
import subprocess

import pytest

from playbooks.adapters.documents.xlsx import XlsxWriter
from playbooks.ports.documents import Draft
from tests.unit.documents.drafts import table

pytestmark = pytest.mark.skipif(
    not (shutil.which("soffice") and shutil.which("pdftotext")), reason="LibreOffice and poppler are not installed"
)
COLUMNS = [("department", "text"), ("orders", "integer"), ("total", "numeric"), ("day", "date"), ("at", "timestamptz")]
ROWS = [
    ["영업부", 1234567, "98200.50", "2026-09-01", "2026-08-31T23:30:00+00:00"],
    ["=1+1", -5, "-0.25", "2026-12-31", "2026-09-01T00:00:00+00:00"],
]


def test_numbers_dates_and_text_are_shown_as_a_reader_expects(tmp_path):
    headers = ["부서", "주문 수", "매출", "날짜", "시각"]
    draft = Draft("주간 매출", [table("부서별", COLUMNS, ROWS, headers)], "비교", zone="Asia/Seoul", language="ko")
    (tmp_path / "sales.xlsx").write_bytes(b"".join(XlsxWriter().write(draft)))
    command = ["soffice", "--headless", f"-env:UserInstallation=file://{tmp_path}/profile", "--convert-to", "pdf"]
    subprocess.run([*command, "sales.xlsx"], cwd=tmp_path, check=True, capture_output=True)
    shown = subprocess.run(["pdftotext", "-layout", "sales.pdf", "-"], cwd=tmp_path, check=True, capture_output=True)
    text = shown.stdout.decode()
    for part in ("부서", "주문 수", "1,234,567", "98,200.50", "-0.25", "2026-09-01 08:30:00", "=1+1", "Asia/Seoul"):
        assert part in text
    assert "###" not in text

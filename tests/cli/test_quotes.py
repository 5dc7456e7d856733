"""``dse quotes`` as a buyer meets it: a form to send out, and what the filled-in one says."""

from __future__ import annotations

from tests.quotes.conftest import HEADER, root, shop  # noqa: F401 - fixtures


def test_a_form_names_everything_a_problem_may_buy(dse, shop, tmp_path):  # noqa: F811
    """Chips and boards among the candidates with their part numbers, hosts included; a file that is there stays."""
    path = shop()
    (tmp_path / "q.csv").unlink()
    written = dse("quotes", path, "--template", "q.csv")
    assert (written.code, written.err) == (0, "")
    lines = (tmp_path / "q.csv").read_text(encoding="utf-8").splitlines()
    assert lines == [HEADER, "acc-sbc,,ACC-9,,,,,,", "old-chip,,,,,,,,", "other-chip,,,,,,,,", "sbc,,SBC-1,,,,,,"]
    assert written.out.startswith("wrote q.csv: 4 items")
    refused = dse("quotes", path, "--template", "q.csv")
    assert (refused.code, refused.err) == (2, "error: q.csv exists; the template is not written over it\n")
    assert dse("quotes", path).out == "q.csv: for 1 pieces, no day is asked for: 0 used\n"


def test_what_counts_and_what_does_not_is_listed(dse, shop):  # noqa: F811
    path = shop("old-chip,ACME,X-1,35,,,,6,", "old-chip,Dear,,38,,,,,", "sbc,B,,9,,100,,,")
    said = dse("quotes", path)
    assert said.out.splitlines() == [
        "q.csv: for 1 pieces, no day is asked for: 1 used",
        "item\tsupplier\tmpn\tprice_usd\tlist_price_usd\tquantity_from\tlead_time_weeks\tvalid_until\tplace",
        "old-chip\tACME\tX-1\t35.0\t40.0\t1\t6.0\t\tq.csv:2",
        "",
        "2 not used",
        "item\tsupplier\tplace\treason",
        "old-chip\tDear\tq.csv:3\tq.csv:2 is cheaper",
        "sbc\tB\tq.csv:4\tat least 100 pieces must be ordered, 1 are bought",
    ]
    data = dse("quotes", path, "--json").data
    assert (data["used"][0]["price_usd"], data["unused"][1]["item"]) == (35, "sbc")


def test_faults_of_the_file_end_the_command(dse, shop):  # noqa: F811
    refused = dse("quotes", shop("nothing,A,,1,,,,,"))
    assert (refused.code, refused.out) == (2, "")
    assert "q.csv:2:1: item: there is no chip or board `nothing`" in refused.err


def test_a_problem_without_quotations_says_how_to_name_them(dse, shop):  # noqa: F811
    path = shop()
    path.write_text(path.read_text(encoding="utf-8").replace("procurement", "# procurement"), encoding="utf-8")
    said = dse("quotes", path)
    assert (said.code, said.out) == (0, "")
    assert "--template writes a form" in said.err

# SPDX-License-Identifier: Apache-2.0
"""`weir streams --from`: what becomes of XIOS's and FMS's tables, and what is said of the rest. Each configuration that is made
is one that Weir takes."""

import json
import os
import re
import subprocess
from pathlib import Path
from textwrap import dedent

import pytest
import yaml
from click.testing import CliRunner, Result
from weir.cli import main
from weir.streams.intervals import Interval, xios_interval
from weir.streams.translate import translate

PROGRAM = Path(os.environ["WEIR_BUILD_DIR"]) / "bin" / "weir-streams"

IODEF = """
    <?xml version="1.0"?>
    <simulation>
      <context id="xios"><variable_definition/></context>
      <context id="ocean" src="./context.xml"/>
    </simulation>
"""
CONTEXT = """
    <context id="ocean">
      <calendar type="NoLeap" time_origin="1950-01-01 00:00:00"/>
      <field_definition src="./fields.xml"/>
      <file_definition name="@expname@_@freq@_@startdate@_@enddate@" type="multiple_file" sync_freq="10d">
        <file_group id="1d" output_freq="1d" output_level="10" enabled=".TRUE.">
          <file id="surface" name_suffix="_T" split_freq="1mo" compression_level="4">
            <field field_ref="sst" name="tos"/>
            <field field_ref="sst_top"/>
            <field field_ref="ssh" name="zos" operation="accumulate" prec="8"/>
            <field field_ref="heat" name="hfds"/>
            <field field_ref="sss" level="20"/>
            <field field_ref="area"/>
            <field_group group_ref="winds" prec="4"/>
            <variable name="contact" type="string">the <![CDATA[ocean]]> group</variable>
          </file>
          <file id="off" enabled=".FALSE."><field field_ref="sst"/></file>
        </file_group>
        <file id="corner" name="corner" output_freq="6h" format="netcdf4">
          <field field_ref="sst" grid_ref="corner" operation="instant"/>
          <field field_ref="salt_mean" name="so"/>
          <field field_ref="sst" name="coarse" domain_ref="coarse"/>
        </file>
        <file id="packed" name="packed" output_freq="1h30mi" split_freq="20d" split_freq_format="%y-%mo-%d" timeseries="only">
          <field field_ref="sst" prec="2" scale_factor="0.01" add_offset="20" ts_enabled="true"/>
        </file>
        <file id="input" name="forcing" mode="read" output_freq="1d"><field field_ref="sst"/></file>
        <file id="odd" name="odd" output_freq="1mo 15d"><field field_ref="sst"/></file>
      </file_definition>
      <grid_definition>
        <grid id="corner"><domain domain_ref="corner"/></grid>
      </grid_definition>
      <domain_definition>
        <domain id="all" dim_i_name="lon" dim_j_name="lat"/>
        <domain_group id="parts">
          <domain id="corner" domain_ref="all"><zoom_domain ibegin="10" ni="5" jbegin="0" nj="3"/></domain>
          <domain id="coarse" domain_ref="all"><interpolate_domain order="1"/></domain>
        </domain_group>
      </domain_definition>
    </context>
"""
FIELDS = """
    <!-- <?xml version="1.0"?> -->
    <field_definition level="1" prec="4" operation="average" enabled=".TRUE." default_value="1.e20">
      <field_group id="surface" domain_ref="all">
        <field id="sst" long_name="sea surface temperature, < 40" standard_name="sea_surface_temperature" unit="degC"/>
        <field id="sst_top" field_ref="sst" operation="maximum" freq_op="1h"/>
        <field id="ssh" unit="m"/>
        <field id="sss"/>
        <field id="heat"> qsr + qns </field>
        <field id="salt_mean" freq_op="1d"> @salt_sum / @depth </field>
        <field id="area" operation="once"/>
      </field_group>
      <field_group id="winds" domain_ref="all">
        <field id="u10"/>
        <field id="v10"/>
      </field_group>
    </field_definition>
"""

DIAG_TABLE = """
    "Ocean of the test"
    1900 1 1 0 0 0

    # files
    "ocean_daily%4yr%2mo", 1, "days", 1, "days", "time", 1, "months", "1900 3 1 0 0 0"  # a comment
    "ocean_static", -1, "months", 1, "days", "time",
    'ice_hourly', 1, 'hours', 1, 'hours', 'Time'
    "every_step", 0, "days", 1, "days", "time"

    "ocean_model", "SST", "tos", "ocean_daily%4yr%2mo", "all", .true., "none", 2
    "ocean_model", "SSH", "zos", "ocean_daily%4yr%2mo", "all", "max", "none", 2,
    "ocean_model", "uo", "uo", "ocean_daily%4yr%2mo", "all", "rms", "none", 1
    "ocean_model", "SST", "tos_cycle", "ocean_daily%4yr%2mo", "all", "diurnal24", "none", 2
    "ocean_model", "geolon", "geolon", "ocean_static", "all", .false., "none", 2
    "ocean_model_z", "uo", "uo", "ice_hourly", "all", .false., "-80 -60 0 75 -1 -1", 2
    "ice_model"  "HI"  "hice"  "ice_hourly", "all", "none", "-80 -60 0 75 -1 -1", 2
    "ice_model", "HI", "hice", "null", "all", "none", "none", 2
    "ice_model", "HI", "hice", "nowhere", "all", "none", "none", 2
    "ice_model", "HI", "hice", "every_step", "all", "none", "none", 2
"""
DIAG_YAML = """
    title: Ocean of the test
    base_date: 1900 1 1 0 0 0
    diag_files:
    - file_name: ocean_daily%4yr%2mo
      freq: 1 days
      time_units: days
      unlimdim: time
      new_file_freq: 1 months
      start_time: 1900 3 1 0 0 0
      module: ocean_model
      kind: r4
      varlist:
      - {var_name: SST, out_name: tos, reduction: average}
      - {var_name: SSH, output_name: zos, reduction: max}
      - {var_name: uo, reduction: rms, kind: r8}
      - {var_name: SST, output_name: tos_cycle, reduction: diurnal24}
      - {var_name: SST, output_name: unwritten, reduction: min, write_var: false}
    - file_name: ocean_static
      freq: -1 months
      time_units: days
      unlimdim: time
      varlist:
      - {module: ocean_model, var_name: geolon, reduction: none, kind: r4}
    - file_name: ice_hourly
      freq: 1 hours
      time_units: hours
      unlimdim: Time
      sub_region:
      - grid_type: latlon
        corner1: -80, 0
        corner2: -80, 75
        corner3: -60, 0
        corner4: -60, 75
      varlist:
      - {module: ocean_model_z, var_name: uo, reduction: none, kind: r4}
      - {module: ice_model, var_name: HI, out_name: hice, reduction: none, kind: r4}
    - file_name: every_step
      freq: 0
      time_units: days
      unlimdim: time
      varlist:
      - {module: ice_model, var_name: HI, out_name: hice, reduction: none, kind: r4}
    - file_name: unwritten
      freq: 1 days
      time_units: days
      unlimdim: time
      write_file: false
      varlist:
      - {module: ice_model, var_name: HI, reduction: none, kind: r4}
"""


@pytest.fixture
def iodef(tmp_path: Path) -> Path:
    for name, text in (("iodef.xml", IODEF), ("context.xml", CONTEXT), ("fields.xml", FIELDS)):
        (tmp_path / name).write_text(dedent(text))
    return tmp_path / "iodef.xml"


def table(folder: Path, name: str, text: str) -> Path:
    (folder / name).write_text(dedent(text))
    return folder / name


def invoke(*arguments: object) -> Result:
    return CliRunner().invoke(main, ["streams", *map(str, arguments)])


def made_of(path: Path) -> tuple[dict[str, dict], str]:
    """The streams, and the text. Weir takes it as it is."""
    text = translate(path).yaml()
    streams = yaml.safe_load(text)["streams"]
    if PROGRAM.is_file() and streams:
        configuration = path.parent / "weir.yaml"
        configuration.write_text(text)
        checked = subprocess.run([PROGRAM, configuration], capture_output=True, text=True, check=False)
        assert checked.returncode == 0, checked.stderr + text
    return streams, text


def joined(text: str) -> str:
    """With each comment on one line."""
    return text.replace("\n    #   ", " ").replace("\n#   ", " ")


def test_iodef(iodef: Path) -> None:
    streams, text = made_of(iodef)
    assert list(streams) == ["surface", "corner", "packed_series"]
    surface = streams["surface"]
    fields = surface.pop("fields")
    assert surface == {
        "file": "EXPERIMENT_1d_{time:%Y%m%d}_T.nc", "every": "1 day", "align": "start", "split": "1 month", "format": "netcdf4",
        "compression": "zlib", "compression_level": 4, "attributes": {"contact": "the ocean group"}, "as": "mean",
    }  # fmt: skip
    attributes = {
        "standard_name": "sea_surface_temperature", "long_name": "sea surface temperature, < 40", "units": "degC",
    }  # fmt: skip
    assert fields == {
        "tos": {"of": "sst", "type": "float", "attributes": attributes},
        "sst_top": {"of": "sst", "as": "maximum", "type": "float", "attributes": attributes},
        "zos": {"of": "ssh", "as": "sum", "type": "double", "attributes": {"units": "m"}},
        "u10": {"type": "float"},
        "v10": {"type": "float"},
        "area": "mean",
    }
    assert streams["corner"]["box"] == {"lon": [10, 14], "lat": [0, 2]} and list(streams["corner"]["fields"]) == ["sst"]
    assert streams["packed_series"]["file"] == "packed_{field}_{time:%Y-%m-%d}.nc"
    assert streams["packed_series"]["split"] == "20 days" and streams["packed_series"]["every"] == "90 minutes"
    assert streams["packed_series"]["fields"]["sst"]["scale_factor"] == 0.01
    notes = joined(text)
    for note in (
        'weir_start_streams: "seconds since 1950-01-01 00:00:00", "noleap"',
        "written once: area: the model gives them to weir_set_field",
        "left out: hfds (qsr + qns): XIOS computes that of other fields",
        "left out: so (@salt_sum / @depth): XIOS computes that",
        "left out: sst_top: freq_op=1h: each sample counts",
        "left out: coarse: XIOS transforms its grid (interpolate_domain)",
        "left out: default_value=1.e20: ",
        "left out: sync_freq=10d: ",
        "left out: file input: streams write",
        "left out: file odd: output_freq 1mo 15d is no interval",
    ):
        assert note in notes, f"{note}\n{text}"


def test_text_and_yaml_of_fms_are_one(tmp_path: Path) -> None:
    streams, text = made_of(table(tmp_path, "diag_table", DIAG_TABLE))
    assert streams == made_of(table(tmp_path, "diag_table.yaml", DIAG_YAML))[0]
    assert list(streams) == ["ocean_daily", "ice_hourly", "every_step"]
    assert streams["ocean_daily"] == {
        "file": "ocean_daily_{time:%Y_%m}.nc", "every": "1 day", "align": "start", "split": "1 month",
        "from": "1900-03-01 00:00:00", "attributes": {"title": "Ocean of the test"}, "as": "mean",
        "fields": {
            "tos": {"of": "SST"},
            "zos": {"of": "SSH", "as": "maximum"},
            "uo": {"of": "ocean_model_uo", "as": "rms", "type": "double"},
        },
    }  # fmt: skip
    assert streams["ice_hourly"]["box"] == {"lon": {"from": -80, "to": -60}, "lat": {"from": 0, "to": 75}}
    assert streams["ice_hourly"]["fields"] == {"uo": {"of": "ocean_model_z_uo"}, "hice": {"of": "HI"}}
    assert streams["every_step"]["every"] == "1 step" and "align" not in streams["every_step"]
    notes = joined(text)
    for note in (
        'weir_start_streams: "days since 1900-01-01 00:00:00"',
        "uo: fields of several modules",
        "Variables are float, but for those with a type of their own: weir_def_field(..., WEIR_FLOAT, ...).",
        "left out: tos_cycle: the reduction diurnal24",
        "left out: file ocean_static: it is written once, at the end (geolon)",
        "left out: unlimdim Time: the record dimension is called time",
        "left out: HI in nowhere: the table does not define that file",
    ):
        assert note in notes, f"{note}\n{text}"


def test_what_a_stream_cannot_have_is_left_out(tmp_path: Path) -> None:
    """A split that may be shorter than the interval; a record that is an instant beside means; a name that is there."""
    rows = """
        "days%4yr%2mo", 30, "days", 1, "days", "time", 1, "months"
        "m", "a", "a", "days%4yr%2mo", "all", "none", "none", 2
        "m", "b", "b", "days%4yr%2mo", "all", "average", "none", 2
        "m", "c", "b", "days%4yr%2mo", "all", "average", "none", 2
        "m", "d", "d", "days%4yr%2mo", "all", "average", "none", 4
    """
    streams, text = made_of(table(tmp_path, "diag_table", rows))
    assert streams["days"]["stamp"] == "end" and "split" not in streams["days"]
    assert list(streams["days"]["fields"]) == ["a", "b", "d"]
    for note in ("split: 1 month: it may end", "b: a variable of this name", "d: packing 4: give type: short"):
        assert f"left out: {note}" in joined(text), text


@pytest.mark.parametrize("name, text, sentence", [
    ("iodef.xml", "<simulation>\n<context>\n</simulation>", "line 3: </simulation> ends no element that is open; that is <context>"),
    ("iodef.xml", "<simulation>\n<context id=>", "line 2: '<context id=>' is no element"),
    ("iodef.xml", "<simulation><context id='a'/></simulation>", "no context with a file_definition"),
    ("diag_table", "a title\n", "defines no file"),
    ("diag_table", '"a", 1, "days", 1, "days", "time"\n"m", "x"\n', "line 2: 2 words are neither a file (6 to 11) nor a field (8)"),
    ("diag_table", '"a", 1, "days", 1, "days", "time"\n"m", "x", "x", "a", "all", "none", "west of here", 2\n', "'west': give a number"),
    ("diag_table.yaml", "diag_files:\n- freq: 1 days\n", "has no file_name"),
    ("diag_table.yaml", "diag_files: [\n", "cannot be read as YAML"),
])  # fmt: skip
def test_what_is_no_table_is_refused(tmp_path: Path, name: str, text: str, sentence: str) -> None:
    (tmp_path / name).write_text(text)
    result = invoke("--from", tmp_path / name)
    assert result.exit_code == 1 and sentence in result.output, result.output
    assert len(result.output.splitlines()) == 1


def test_a_table_that_is_not_there(tmp_path: Path) -> None:
    result = invoke("--from", tmp_path / "none")
    assert (
        result.exit_code == 1 and result.output == f"Error: {tmp_path}/none cannot be read: No such file or directory\n"
    )


def test_a_missing_include_is_told(iodef: Path) -> None:
    (iodef.parent / "fields.xml").unlink()
    text = joined(translate(iodef).yaml())
    assert "left out: ./fields.xml: the file that src names is not there" in text
    assert "the table gives it no operation" in text


def test_strict_makes_what_is_left_out_an_error(iodef: Path) -> None:
    result = CliRunner().invoke(main, ["streams", "--from", "--strict", str(iodef)])
    assert result.exit_code == 1 and not result.stdout
    assert "stream surface: hfds (qsr + qns): XIOS computes that" in result.stderr
    well = table(
        iodef.parent, "diag_table", '"a", 1, "days", 1, "days", "time"\n"m", "x", "x", "a", "all", "mean", "none", 2\n'
    )
    result = CliRunner().invoke(main, ["streams", "--from", "--strict", str(well)])
    assert result.exit_code == 0 and "streams: 1, variables: 1, left out: 0" in result.stderr
    assert yaml.safe_load(result.stdout)["streams"]["a"]["fields"] == ["x"]


def test_json_and_options_that_do_not_go_together(iodef: Path) -> None:
    answer = json.loads(CliRunner().invoke(main, ["streams", "--from", "--json", str(iodef)]).stdout)
    assert (
        answer["streams"] == 3
        and yaml.safe_load(answer["yaml"])["streams"].keys() >= {"surface"}
        and answer["left_out"]
    )
    assert invoke("--from", "--days", 3, iodef).exit_code == 2 and invoke("--strict", iodef).exit_code == 2


def test_the_page_shows_what_is_made(tmp_path: Path) -> None:
    page = (Path(os.environ["WEIR_SOURCE_DIR"]) / "docs" / "streams_from.md").read_text()
    xml, from_xml, text, as_yaml, from_text = re.findall(r"^```\w+\n(.*?)^```$", page, re.MULTILINE | re.DOTALL)
    for name, given, made in (
        ("iodef.xml", xml, from_xml), ("diag_table", text, from_text), ("diag_table.yaml", as_yaml, from_text),
    ):  # fmt: skip
        found = made_of(table(tmp_path, name, given))[1]
        assert found.replace("diag_table.yaml by", "diag_table by") == made, name


def rows_of(first: str) -> list[list[str]]:
    """The cells of the tables whose first column is called so."""
    page = (Path(os.environ["WEIR_SOURCE_DIR"]) / "docs" / "streams_from.md").read_text()
    tables = re.findall(rf"^\| {first} \|.*\n\|[-|]+\n((?:\|.*\n)+)", page, re.MULTILINE)
    return [[cell.strip() for cell in line.strip("|").split(" | ")] for table in tables for line in table.splitlines()]


def test_lines_of_xios_become_those_that_the_page_sets_beside_them(tmp_path: Path) -> None:
    rows = [row for row in rows_of("in iodef.xml") if re.match("`<(file|field) ", row[0])]
    assert len(rows) > 12
    for left, right in rows:
        tag, given = re.match("`<(file|field) ([^`]*)/>`", left).groups()
        wanted = re.findall("`([^`]+)`", right)
        file = given if tag == "file" else ""
        for name, usual in (("id", "some"), ("name", "file"), ("output_freq", "1d")):
            file += "" if f"{name}=" in file.replace("field_name=", "") else f' {name}="{usual}"'
        series = 'ts_enabled="true"' if "timeseries" in given else ""
        field = f'{given if tag == "field" else ""} {series}' + ("" if "field_ref" in given else ' field_ref="sst"')
        text = (
            '<simulation><context id="c"><field_definition><field id="sst" operation="average"/></field_definition>'
            f"<file_definition><file {file}><field {field}/></file></file_definition></context></simulation>"
        )
        made = made_of(table(tmp_path, "iodef.xml", text))[1]
        if right.startswith("no line"):
            assert "    fields:" not in made, left
        for each in wanted if not right.startswith("no line") else []:
            assert each in made, f"{left} gives {each}, but: {made}"


def test_lines_of_fms_become_those_that_the_page_sets_beside_them(tmp_path: Path) -> None:
    rows = [row for row in rows_of("in diag_table") if row[0].startswith('`"')]
    assert len(rows) > 7
    for left, middle, right in rows:
        line = re.match("`([^`]*)`", left)[1]
        entries = [f"  {each}" for each in re.findall("`([^`]+)`", middle)]
        is_file = len(line.split('", "')) < 5
        file = line if is_file else '"daily", 1, "days", 1, "days", "time"'
        name = re.match('"([^"]*)"', file)[1]
        field = f'"ocean_model", "SST", "tos", "{name}", "all", "average", "none", 2' if is_file else line
        text = f'"title"\n1990 1 1 0 0 0\n{file}\n{field}\n'
        of_file = entries if is_file else ["  file_name: daily", "  freq: 1 days"]
        of_field = ["var_name: SST", "output_name: tos", "reduction: average"] if is_file else [each.strip() for each in entries]
        as_yaml = "\n".join(
            ["title: title", "base_date: 1990 1 1 0 0 0", "diag_files:", "-" + of_file[0][1:], *of_file[1:], "  time_units: days",
             "  unlimdim: time", "  module: ocean_model", "  varlist:", f"  - {{{', '.join(of_field)}}}", ""]
        )  # fmt: skip
        for table_name, given in (("diag_table", text), ("diag_table.yaml", as_yaml)):
            made = made_of(table(tmp_path, table_name, given))[1]
            for each in re.findall("`([^`]+)`", right):
                assert each in made, f"{table_name}: {left} gives {each}, but: {made}"


@pytest.mark.parametrize("text, interval", [
    ("1mo", Interval(1, "month")), ("2y", Interval(24, "month")), ("1h30mi", Interval(5400, "second")),
    ("1ts", Interval(1, "step")), ("0.5h", Interval(1800, "second")), ("1mo 15d", None), ("sometimes", None), ("", None),
])  # fmt: skip
def test_intervals_of_xios(text: str, interval: Interval | None) -> None:
    assert xios_interval(text) == interval


def test_which_split_is_certain_to_hold_a_record() -> None:
    month, day = Interval(1, "month"), 86400
    assert month.is_at_least(Interval(28 * day, "second")) and not month.is_at_least(Interval(29 * day, "second"))
    assert Interval(31 * day, "second").is_at_least(month) and not Interval(30 * day, "second").is_at_least(month)
    assert not Interval(5, "step").is_at_least(Interval(1, "second")) and str(Interval(18, "month")) == "18 months"

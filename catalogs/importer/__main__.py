"""Write every catalogue file from a folder of collected figures."""

import argparse
from pathlib import Path

from catalogs.importer import chips, measurements, models, network_facts, tails


def main() -> None:
    """Read FOLDER and write the catalogues beside this package."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path, help="folder with measurements.csv.gz, models.csv, chips.csv …")
    folder = parser.parse_args().folder
    target = Path(__file__).resolve().parents[1]
    models.write(folder, target / "models")
    network_facts.main()
    chips.write(folder, target / "chips")
    measurements.write(folder, target / "measurements")
    tails.write(folder, target / "tails.csv")


if __name__ == "__main__":
    main()

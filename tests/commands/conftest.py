import shutil

import pytest

from tests.commands import small_repository


@pytest.fixture
def small(tmp_path):
    """A repository with two small chapters."""
    return small_repository.write(tmp_path / "small")


@pytest.fixture(scope="session")
def kept(tmp_path_factory):
    """_build/executed of a repository with two small chapters."""
    root = small_repository.write(tmp_path_factory.mktemp("kept") / "small")
    code, _, errors = small_repository.run(root, "refresh")
    assert code == 0, errors
    return root / "_build/executed"


@pytest.fixture
def executed(small, kept):
    """Its chapters are executed: for tests that are about something else, since a kernel takes seconds to start."""
    shutil.copytree(kept, small / "_build/executed")

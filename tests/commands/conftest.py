import pytest
import small_repository


@pytest.fixture
def small(tmp_path):
    """A repository with two small chapters."""
    return small_repository.write(tmp_path / "small")

"""judica on Ray: the same run as on one machine, made by the nodes of a cluster.

Every node needs the same wheel, and the paths of inputs and `out` must mean the same files on all
of them.

>>> import judica.ray                                                # doctest: +SKIP
>>> run = judica.ray.eval("flight", "samples.jsonl", "outputs.jsonl", "run")
"""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterable, Sequence
from typing import Any

from . import _engine, _native
from ._native import BadInputError
from ._run import Run


class _Ray:
    def __init__(self) -> None:
        import ray

        if not ray.is_initialized():
            raise BadInputError("there is no Ray here: call ray.init() first")
        self.ray = ray
        self.parallelism = max(1, int(ray.cluster_resources().get("CPU", 1)))

    def _get(self, refs: Any) -> Any:
        try:
            return self.ray.get(refs)
        except Exception as error:
            raise _engine.meant(error) or error from None

    def map(self, work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> list[Any]:
        # A node that is lost takes its tasks along; they write nothing that is not whole.
        remote = self.ray.remote(work).options(scheduling_strategy="SPREAD", max_retries=4)
        result: list[Any] = self._get([remote.remote(*task) for task in tasks])
        return result

    def shuffle(
        self,
        deal: Callable[..., list[tuple[int, bytes]]],
        tasks: Sequence[tuple[Any, ...]],
        pieces: int,
        make: Callable[[int, Iterable[bytes]], int],
    ) -> None:
        def dealt(*words: Any) -> Any:
            streams = [rows for _, rows in deal(*words)]
            return streams[0] if pieces == 1 else tuple(streams)

        def made(number: int, *streams: bytes) -> int:
            return make(number, streams)

        deals = self.ray.remote(dealt).options(num_returns=pieces, max_retries=4)
        moved = [deals.remote(*task) for task in tasks]
        columns = [[one] if pieces == 1 else one for one in moved]
        makes = self.ray.remote(made).options(scheduling_strategy="SPREAD", max_retries=4)
        refs = [
            makes.remote(piece + 1, *(streams[piece] for streams in columns))
            for piece in range(pieces)
        ]
        self._get(refs)


def eval(
    protocol: Any,
    samples: Any,
    outputs: Any,
    out: Any,
    partitions: int | None = None,
    *,
    order: str | None = None,
    **options: Any,
) -> Run:
    """`judica.eval` on the cluster that Ray is connected to; `options` are those of `judica.eval`.

    `outputs` are paths, or a Dataset whose column `order` says which row comes first.
    """
    given = {
        "protocol": _engine.protocol(protocol),
        "samples": _engine.inputs(samples, "samples"),
        "outputs": _inputs(outputs, "outputs", order),
        **options,
    }
    return _engine.run(_Ray(), "eval", given, out=out, partitions=partitions)


def match(
    predictions: Any,
    out: Any,
    partitions: int | None = None,
    *,
    order: str | None = None,
    **options: Any,
) -> Run:
    """`judica.match` on the cluster that Ray is connected to."""
    files = _inputs(predictions, "predictions", order)
    given = {"predictions": files, **options}
    return _engine.run(_Ray(), "match", given, out=out, partitions=partitions)


def agree_pairs(
    pairs: Any,
    out: Any,
    partitions: int | None = None,
    *,
    order: str | None = None,
    **options: Any,
) -> Run:
    """`judica.agree.pairs` on the cluster: both validators on each line."""
    files = _inputs(pairs, "pairs", order)
    given = {"pairs": files, **options}
    return _engine.run(_Ray(), "agree pairs", given, out=out, partitions=partitions)


def _inputs(value: Any, keyword: str, order: str | None) -> list[str] | _engine.Table:
    """Paths, or a Dataset with its order."""
    if not hasattr(value, "iter_rows"):
        if order is not None:
            raise BadInputError(f"`order` is for a Dataset; `{keyword}` is none")
        return _engine.inputs(value, keyword)
    _engine.check_order(order, value.columns() or [], keyword)

    def write(path: str) -> None:
        import pyarrow

        parts = path + ".parts"
        os.mkdir(parts)
        files: list[str] = []
        before: Any = None
        for batch in value.sort(order).iter_batches(batch_size=None, batch_format="pyarrow"):
            table = _plain(batch, keyword)
            for at in table[order].to_pylist():
                # What is no number is not even itself.
                if at is None or at == before or at != at:
                    raise BadInputError(
                        f"`{keyword}`: {order} = {at!r} stands twice, is null or no number; the "
                        "order of its rows must not hang on chance"
                    )
                before = at
            files.append(os.path.join(parts, f"part-{len(files):05}.arrow"))
            with pyarrow.OSFile(files[-1], "wb") as file:
                with pyarrow.ipc.new_stream(file, table.schema) as rows:
                    rows.write_table(table)
        _native.write_lines(files, path)
        shutil.rmtree(parts)

    return _engine.Table(write)


def _plain(table: Any, keyword: str) -> Any:
    """The rows in types that Arrow itself has: tensors are lists."""
    import pyarrow

    for at, field in enumerate(table.schema):
        if not isinstance(field.type, pyarrow.BaseExtensionType):
            continue
        values = table.column(at).to_pylist()
        try:
            column = pyarrow.array([getattr(one, "tolist", lambda one=one: one)() for one in values])
        except pyarrow.ArrowException as error:
            raise BadInputError(f"`{keyword}`: the column {field.name} has no one type: {error}") from error
        table = table.set_column(at, field.name, column)
    return table

"""judica on Spark: the same run as on one machine, made by the executors.

Every executor needs the same wheel, and the paths of inputs and `out` must mean the same files on
all of them.

>>> import judica.spark                                              # doctest: +SKIP
>>> run = judica.spark.eval(spark, "flight", "samples.jsonl", "outputs.jsonl", "run")
"""

from __future__ import annotations

import glob
import os
import shutil
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from . import _engine, _native
from ._native import BadInputError
from ._run import Run

if TYPE_CHECKING:
    from pyspark.sql import DataFrame, SparkSession


class _Spark:
    def __init__(self, spark: SparkSession) -> None:
        self.context = spark.sparkContext
        self.parallelism = self.context.defaultParallelism

    def map(self, work: Callable[..., Any], tasks: Sequence[tuple[Any, ...]]) -> list[Any]:
        if not tasks:
            return []
        rdd = self.context.parallelize(list(tasks), len(tasks))
        return _told(lambda: rdd.map(lambda task: work(*task)).collect())

    def shuffle(
        self,
        deal: Callable[..., list[tuple[int, bytes]]],
        tasks: Sequence[tuple[Any, ...]],
        pieces: int,
        make: Callable[[int, Iterable[bytes]], int],
    ) -> None:
        def dealt(task: tuple[int, tuple[Any, ...]]) -> Iterator[tuple[tuple[int, int], bytes]]:
            at, words = task
            for piece, rows in deal(*words):
                yield (piece, at), rows

        def made(number: int, rows: Iterator[tuple[tuple[int, int], bytes]]) -> Iterator[int]:
            yield make(number + 1, (stream for _, stream in rows))

        rdd = self.context.parallelize(list(enumerate(tasks)), len(tasks)).flatMap(dealt)
        # Of one task the rows of a piece are one stream, so the order is that of the input.
        rdd = rdd.repartitionAndSortWithinPartitions(pieces, lambda key: key[0])
        _told(lambda: rdd.mapPartitionsWithIndex(made).collect())


def _told(work: Callable[[], Any]) -> Any:
    """Runs it; what an executor raised is told as what it means."""
    try:
        return work()
    except Exception as error:
        raise _engine.meant(error) or error from None


def eval(
    spark: SparkSession,
    protocol: Any,
    samples: Any,
    outputs: Any,
    out: Any,
    partitions: int | None = None,
    *,
    order: str | None = None,
    **options: Any,
) -> Run:
    """`judica.eval` on the executors of a session; `options` are those of `judica.eval`.

    `outputs` are paths, or a DataFrame whose column `order` says which row comes first.
    """
    given = {
        "protocol": _engine.protocol(protocol),
        "samples": _engine.inputs(samples, "samples"),
        "outputs": _inputs(outputs, "outputs", order),
        **options,
    }
    return _engine.run(_Spark(spark), "eval", given, out=out, partitions=partitions)


def match(
    spark: SparkSession,
    predictions: Any,
    out: Any,
    partitions: int | None = None,
    *,
    order: str | None = None,
    **options: Any,
) -> Run:
    """`judica.match` on the executors of a session."""
    files = _inputs(predictions, "predictions", order)
    given = {"predictions": files, **options}
    return _engine.run(_Spark(spark), "match", given, out=out, partitions=partitions)


def agree_pairs(
    spark: SparkSession,
    pairs: Any,
    out: Any,
    partitions: int | None = None,
    *,
    order: str | None = None,
    **options: Any,
) -> Run:
    """`judica.agree.pairs` on the executors of a session: both validators on each line."""
    files = _inputs(pairs, "pairs", order)
    given = {"pairs": files, **options}
    return _engine.run(_Spark(spark), "agree pairs", given, out=out, partitions=partitions)


def _inputs(value: Any, keyword: str, order: str | None) -> list[str] | _engine.Table:
    """Paths, or a DataFrame with its order."""
    if not hasattr(value, "orderBy"):
        if order is not None:
            raise BadInputError(f"`order` is for a DataFrame; `{keyword}` is none")
        return _engine.inputs(value, keyword)
    _engine.check_order(order, value.columns, keyword)
    from pyspark.sql import functions

    first = functions.col(_quoted(str(order)))
    # Under names of their own, whatever the column is called.
    times = value.groupBy(first.alias("place")).agg(functions.count("*").alias("times"))
    twice = times.where("times > 1 or isnull(place)").head()
    if twice is not None:
        raise BadInputError(
            f"`{keyword}`: {order} = {twice[0]!r} stands {twice[1]} times; the order of its rows "
            "must not hang on chance"
        )

    def write(path: str) -> None:
        parts = path + ".parts"
        setting = "spark.sql.parquet.outputTimestampType"
        session = value.sparkSession
        before = session.conf.get(setting)
        # Spark's own form of times ends in the year 2262.
        session.conf.set(setting, "TIMESTAMP_MICROS")
        try:
            value.orderBy(first).select(*_storable(value)).write.parquet(parts)
        finally:
            session.conf.set(setting, before)
        _native.write_lines(sorted(glob.glob(os.path.join(glob.escape(parts), "part-*"))), path)
        shutil.rmtree(parts)

    return _engine.Table(write)


def _quoted(name: str) -> str:
    """The name of a column, whatever stands in it."""
    return "`" + name.replace("`", "``") + "`"


def _storable(frame: DataFrame) -> list[Any]:
    """The columns of a frame, as text where Parquet has no such type."""
    from pyspark.sql import functions, types

    unknown = (types.NullType, types.DayTimeIntervalType, types.YearMonthIntervalType)
    columns = []
    for field in frame.schema.fields:
        column = functions.col(_quoted(field.name))
        is_unknown = isinstance(field.dataType, unknown)
        columns.append(column.cast("string").alias(field.name) if is_unknown else column)
    return columns

"""The peers' half of `tests.bench.query_spec`: run by the interpreter that has them, prints JSON.

Reads the spec from standard input and times LangChain's self-query parser with its Qdrant translator, and
LlamaIndex's Qdrant translator alone (its filters are objects before it begins). Seconds of CPU a call, best of
several rounds.
"""

import json
import sys
import time
import timeit
import warnings

ROUNDS = 5
SECONDS_A_ROUND = 0.1


def best(call) -> float:
    began = time.process_time()
    call()
    calls = max(1, int(SECONDS_A_ROUND / max(time.process_time() - began, 1e-6) / 10))
    once = timeit.timeit(call, timer=time.process_time, number=calls) / calls
    calls = max(1, int(SECONDS_A_ROUND / max(once, 1e-7)))
    return min(timeit.repeat(call, timer=time.process_time, number=calls, repeat=ROUNDS)) / calls


def langchain_text(node) -> str:
    if "conditions" in node:
        return f"{node['op']}({', '.join(langchain_text(child) for child in node['conditions'])})"
    return f"{node['operator']}({json.dumps(node['column'])}, {json.dumps(node['value'])})"


def langchain(where) -> float:
    from langchain_classic.chains.query_constructor.parser import get_parser
    from langchain_community.query_constructors.qdrant import QdrantTranslator

    parser = get_parser()
    translator = QdrantTranslator(metadata_key="metadata")
    text = langchain_text(where)
    return best(lambda: parser.parse(text).accept(translator))


def llamaindex(where) -> float:
    from llama_index.core.vector_stores.types import FilterOperator, MetadataFilter, MetadataFilters
    from llama_index.vector_stores.qdrant import QdrantVectorStore
    from qdrant_client import QdrantClient

    names = {"eq": "==", "gt": ">", "gte": ">=", "lt": "<", "lte": "<=", "like": "text_match"}

    def filters(node):
        if "conditions" in node:
            return MetadataFilters(filters=[filters(child) for child in node["conditions"]], condition=node["op"])
        operator = FilterOperator(names[node["operator"]])
        return MetadataFilter(key=node["column"], value=node["value"], operator=operator)

    store = QdrantVectorStore("bench", client=QdrantClient(":memory:"))
    built = filters(where)
    return best(lambda: store._build_subfilter(built))


if __name__ == "__main__":
    warnings.simplefilter("ignore")
    asked = json.load(sys.stdin)["where"]
    print(json.dumps({"LangChain": langchain(asked), "LlamaIndex": llamaindex(asked)}))

"""The real table, over boto3's low-level client."""

from collections.abc import Callable, Mapping, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError

from playbooks.adapters.dynamodb.expressions import Expression
from playbooks.adapters.dynamodb.operations import (
    MAX_BATCH_GET,
    Check,
    ConditionFailed,
    Delete,
    Item,
    Key,
    Put,
    RequestRefused,
    Throttled,
    TransactionRefused,
    Update,
    Write,
)
from playbooks.adapters.system_clock import pause
from playbooks.errors import Unavailable

if TYPE_CHECKING:
    from mypy_boto3_dynamodb import DynamoDBClient

_THROTTLED = {
    "ProvisionedThroughputExceededException",
    "ThrottlingException",
    "RequestLimitExceeded",
    "TransactionConflictException",
    "TransactionInProgressException",
}
_NO_ANSWER = {"InternalServerError", "InternalFailure", "ServiceUnavailable"}
"""The service failed: a write may have been made or not."""


_READS = {"get_item", "batch_get_item", "query"}
_ANSWERS = {"ConditionalCheckFailedException", "TransactionCanceledException", "ValidationException"}


class DynamoTable:
    """A DynamoDB table. `ClientRequestToken` is left to botocore: one of ours would make two callers' writes one."""

    def __init__(self, client: "DynamoDBClient", name: str, *, pause: Callable[[int], None] = pause) -> None:
        self._client = client
        self._name = name
        self._pause = pause

    def get(self, key: Key) -> Item | None:
        answer = self._call("get_item", TableName=self._name, Key=_key(key), ConsistentRead=True)
        return decode_item(answer["Item"]) if "Item" in answer else None

    def batch_get(self, keys: Sequence[Key]) -> dict[Key, Item]:
        found: dict[Key, Item] = {}
        wanted = list(dict.fromkeys(keys))
        for start in range(0, len(wanted), MAX_BATCH_GET):
            pending = [_key(key) for key in wanted[start : start + MAX_BATCH_GET]]
            for attempt in range(10):
                answer = self._call(
                    "batch_get_item", RequestItems={self._name: {"Keys": pending, "ConsistentRead": True}}
                )
                for raw in answer["Responses"].get(self._name, []):
                    item = decode_item(raw)
                    found[str(item["PK"]), str(item["SK"])] = item
                pending = answer.get("UnprocessedKeys", {}).get(self._name, {}).get("Keys", [])
                if not pending:
                    break
                self._pause(attempt)
            else:
                raise Throttled("The table left keys of a batch unread ten times.")
        return found

    def query(
        self,
        partition: str,
        *,
        index: str | None = None,
        prefix: str | None = None,
        up_to: str | None = None,
        descending: bool = False,
        limit: int | None = None,
        start: object = None,
    ) -> tuple[list[Item], object]:
        names = {"#p": f"{index}_pk" if index else "PK"}
        values: dict[str, Any] = {":p": {"S": partition}}
        expression = "#p = :p"
        if prefix is not None or up_to is not None:
            names["#s"] = f"{index}_sk" if index else "SK"
            values[":s"] = {"S": up_to if prefix is None else prefix}
            expression += " AND #s <= :s" if prefix is None else " AND begins_with(#s, :s)"
        request: dict[str, Any] = {
            "TableName": self._name,
            "KeyConditionExpression": expression,
            "ExpressionAttributeNames": names,
            "ExpressionAttributeValues": values,
            "ScanIndexForward": not descending,
        }
        if index:
            request["IndexName"] = index
        else:
            request["ConsistentRead"] = True
        if limit is not None:
            request["Limit"] = limit
        items: list[Item] = []
        while True:
            if start is not None:
                request["ExclusiveStartKey"] = start
            answer = self._call("query", **request)
            items += [decode_item(raw) for raw in answer["Items"]]
            start = answer.get("LastEvaluatedKey")
            if start is None or limit is not None:
                return items, start

    def index_start(self, index: str, partition: str, sort: str, key: Key) -> object:
        return {f"{index}_pk": {"S": partition}, f"{index}_sk": {"S": sort}, **_key(key)}

    def write(self, write: Write) -> None:
        operation, request = self._request(write)
        names = {"Put": "put_item", "Update": "update_item", "Delete": "delete_item"}
        if "ConditionExpression" in request:
            request["ReturnValuesOnConditionCheckFailure"] = "ALL_OLD"
        try:
            self._call(names[operation], **request)
        except ClientError as error:
            if _code(error) == "ConditionalCheckFailedException":
                raw = error.response.get("Item")
                raise ConditionFailed(decode_item(raw) if raw else None) from error
            raise _refused(error) from error

    def transact(self, writes: Sequence[Write]) -> None:
        items = [{operation: request} for operation, request in map(self._request, writes)]
        try:
            self._call("transact_write_items", TransactItems=items)
        except ClientError as error:
            if _code(error) == "TransactionCanceledException":
                reasons = [reason.get("Code") for reason in error.response.get("CancellationReasons", [])]
                raise TransactionRefused([None if code == "None" else code for code in reasons]) from error
            if _code(error) == "ValidationException":
                raise TransactionRefused([], _said(error)) from error
            raise _refused(error) from error

    def _request(self, write: Write) -> tuple[str, dict[str, Any]]:
        expression = Expression()
        request: dict[str, Any]
        match write:
            case Put(item, condition):
                operation, request = "Put", {"Item": encode_item(item)}
            case Update(key, put, remove, add, condition):
                operation, request = "Update", {"Key": _key(key)}
                request["UpdateExpression"] = expression.update(put, remove, add)
            case Delete(key, condition):
                operation, request = "Delete", {"Key": _key(key)}
            case Check(key, condition):
                operation, request = "ConditionCheck", {"Key": _key(key)}
        if condition is not None:
            request["ConditionExpression"] = expression.condition(condition)
        if expression.names:
            request["ExpressionAttributeNames"] = expression.names
        if expression.values:
            request["ExpressionAttributeValues"] = {name: encode(value) for name, value in expression.values.items()}
        return operation, {"TableName": self._name, **request}

    def _call(self, operation: str, **request: Any) -> dict[str, Any]:
        try:
            answer: dict[str, Any] = getattr(self._client, operation)(**request)
        except ClientError as error:
            if _code(error) in _THROTTLED:
                raise Throttled(f"DynamoDB asks for patience: {_code(error)}.") from error
            if _code(error) in _NO_ANSWER:
                raise Unavailable(f"DynamoDB failed: {_code(error)}.") from error
            if _code(error) not in _ANSWERS or operation in _READS:
                raise _refused(error) from error
            raise
        except BotoCoreError as error:
            raise Unavailable(f"DynamoDB did not answer: {error}.") from error
        return answer


def _code(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Code", ""))


def _said(error: ClientError) -> str:
    return str(error.response.get("Error", {}).get("Message", "")) or str(error)


def _refused(error: ClientError) -> RequestRefused:
    return RequestRefused(f"DynamoDB refused a request ({_code(error)}): {_said(error)}")


def _key(key: Key) -> dict[str, Any]:
    return {"PK": {"S": key[0]}, "SK": {"S": key[1]}}


def encode(value: object) -> dict[str, Any]:
    """A value in DynamoDB's typed form. No floats: they would not come back equal."""
    match value:
        case str():
            return {"S": value}
        case bool():
            return {"BOOL": value}
        case int() | Decimal():
            return {"N": str(value)}
        case None:
            return {"NULL": True}
        case bytes():
            return {"B": value}
        case Mapping():
            return {"M": {str(name): encode(item) for name, item in value.items()}}
        case list() | tuple():
            return {"L": [encode(item) for item in value]}
    raise TypeError(f"{type(value).__name__} has no place in an item")


def decode(value: Mapping[str, Any]) -> object:
    """The inverse of `encode`: whole numbers as int, others as Decimal."""
    ((kind, raw),) = value.items()
    match kind:
        case "S" | "BOOL" | "B":
            return raw
        case "N":
            number = Decimal(raw)
            return int(number) if number == number.to_integral_value() else number
        case "NULL":
            return None
        case "M":
            return {name: decode(item) for name, item in raw.items()}
        case "L":
            return [decode(item) for item in raw]
    raise TypeError(f"an attribute of DynamoDB's type {kind} is not ours")


def encode_item(item: Mapping[str, object]) -> dict[str, Any]:
    """An item in DynamoDB's typed form."""
    return {name: encode(value) for name, value in item.items()}


def decode_item(item: Any) -> Item:
    """The inverse of `encode_item`."""
    return {name: decode(value) for name, value in item.items()}

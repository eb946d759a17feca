"""Files in S3: streamed in parts, linked for five minutes."""

import tempfile
import urllib.parse
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from botocore.exceptions import BotoCoreError, ClientError

from playbooks.errors import NotFound, Unavailable
from playbooks.ports.artifacts import LINK_FOR, UploadForm

if TYPE_CHECKING:
    from mypy_boto3_s3 import S3Client

IN_MEMORY = 8 * 1024 * 1024
CHUNK = 256 * 1024


class S3Artifacts:
    """`Artifacts` in one bucket. What is larger than 8 MiB goes over a temporary file, never through memory."""

    def __init__(self, client: "S3Client", bucket: str) -> None:
        self._client = client
        self._bucket = bucket

    def put(self, key: str, chunks: Iterable[bytes], content_type: str) -> int:
        with tempfile.SpooledTemporaryFile(max_size=IN_MEMORY) as file:
            for chunk in chunks:
                file.write(chunk)
            size = file.tell()
            file.seek(0)
            try:
                self._client.upload_fileobj(file, self._bucket, key, ExtraArgs={"ContentType": content_type})
            except (ClientError, BotoCoreError) as error:
                raise Unavailable(f"S3 did not take the file: {error}.") from error
        return size

    def get(self, key: str) -> Iterator[bytes]:
        try:
            body = self._client.get_object(Bucket=self._bucket, Key=key)["Body"]
        except ClientError as error:
            if error.response.get("Error", {}).get("Code") in {"NoSuchKey", "404"}:
                raise NotFound("The file is not there any more: its time of keeping is over.") from error
            raise Unavailable(f"S3 did not give the file: {error}.") from error
        except BotoCoreError as error:
            raise Unavailable(f"S3 did not answer: {error}.") from error
        return body.iter_chunks(CHUNK)

    def link(self, key: str, file_name: str) -> str:
        quoted = urllib.parse.quote(file_name, safe="")
        return self._client.generate_presigned_url(
            "get_object",
            Params={
                "Bucket": self._bucket,
                "Key": key,
                "ResponseContentDisposition": f"attachment; filename*=UTF-8''{quoted}",
            },
            ExpiresIn=int(LINK_FOR.total_seconds()),
        )

    def upload(self, key: str, content_type: str, *, largest: int) -> UploadForm:
        # A POST policy, for a presigned PUT cannot cap the size (Amazon S3 API reference, POST policy).
        form = self._client.generate_presigned_post(
            self._bucket,
            key,
            Fields={"Content-Type": content_type},
            Conditions=[{"Content-Type": content_type}, ["content-length-range", 1, largest]],
            ExpiresIn=int(LINK_FOR.total_seconds()),
        )
        return UploadForm(form["url"], form["fields"])

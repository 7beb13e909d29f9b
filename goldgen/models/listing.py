"""The names of the models that an endpoint offers. Imports openai's errors: load it when used."""

import asyncio

import httpx2
from pydantic import BaseModel, ValidationError

from goldgen.models.endpoints import Endpoint, is_direct
from goldgen.models.failures import Diagnosis


class _Model(BaseModel):
    id: str


class _Listing(BaseModel):
    data: list[_Model]


async def offered_models(endpoint: Endpoint, seconds: float = 10.0) -> tuple[str, ...]:
    """What GET /models names, sorted and without the key; empty if that gives no list within ``seconds``."""
    url = httpx2.URL(endpoint.base_url)
    key = endpoint.api_key.get_secret_value()
    try:
        async with (
            asyncio.timeout(seconds),
            httpx2.AsyncClient(trust_env=not is_direct(endpoint), timeout=seconds) as client,
        ):
            reply = await client.get(
                url.copy_with(path=f"{url.path.rstrip('/')}/models"),
                headers={"Authorization": f"Bearer {key}"} if key else None,
            )
        listing = _Listing.model_validate_json(reply.content)
    # ImportError: a proxy in the environment that needs a package.
    except (TimeoutError, httpx2.HTTPError, ValidationError, ImportError):
        return ()
    redacted = Diagnosis(endpoint).redacted
    return tuple(sorted({redacted(model.id) for model in listing.data}))

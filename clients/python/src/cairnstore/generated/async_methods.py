# Made by `npm run clients` of the contract. A test compares it.
from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from datetime import date, datetime
from typing import Any, Literal

from .._async_caller import AsyncCaller, AsyncPaged, AsyncAnswerStream
from .._content import AsyncContent, AsyncSeveral
from .._request import OMITTED, CallOptions, Omitted
from . import models, params
from .table import TABLE


class AsyncMethods(AsyncCaller):
    """Every operation of the API, under its id."""

    async def create_api_key(
        self,
        *,
        name: str,
        expires_in_days: int | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.CreatedApiKey:
        """Create an API key"""
        return await self._call(TABLE["create_api_key"], {"name": name, "expires_in_days": expires_in_days}, models.CreatedApiKey, options)

    async def list_api_keys(
        self,
        *,
        options: CallOptions | None = None,
    ) -> list[models.ApiKey]:
        """List your API keys, newest first"""
        return await self._call(TABLE["list_api_keys"], {}, list[models.ApiKey], options)

    async def revoke_api_key(
        self,
        *,
        key_id: str,
        options: CallOptions | None = None,
    ) -> models.RevokedApiKey:
        """Revoke an API key"""
        return await self._call(TABLE["revoke_api_key"], {"key_id": key_id}, models.RevokedApiKey, options)

    async def get_profile(
        self,
        *,
        options: CallOptions | None = None,
    ) -> models.Profile:
        """Show your account"""
        return await self._call(TABLE["get_profile"], {}, models.Profile, options)

    async def update_profile(
        self,
        *,
        display_name: str | None | Omitted = OMITTED,
        sandbox_id: str | None | Omitted = OMITTED,
        project_id: str | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Profile:
        """Change your account’s name, primary sandbox or default project"""
        return await self._call(TABLE["update_profile"], {"display_name": display_name, "sandbox_id": sandbox_id, "project_id": project_id}, models.Profile, options)

    async def create_sandbox(
        self,
        *,
        name: str,
        owner_id: str | Omitted = OMITTED,
        tier: Literal["free", "pro", "enterprise"] | Omitted = OMITTED,
        metadata: Mapping[str, Any] | Omitted = OMITTED,
        storage: params.GivenStorage | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Sandbox:
        """Create a sandbox"""
        return await self._call(TABLE["create_sandbox"], {"name": name, "owner_id": owner_id, "tier": tier, "metadata": metadata, "storage": storage}, models.Sandbox, options)

    def list_sandboxes(
        self,
        *,
        status: Literal["active", "suspended", "archived"] | Omitted = OMITTED,
        owner_id: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.SandboxPage, models.Sandbox]:
        """List the sandboxes that you own or have access to through a grant, newest first"""
        return self._paged(TABLE["list_sandboxes"], {"status": status, "owner_id": owner_id, "limit": limit, "cursor": cursor}, models.SandboxPage, options)

    async def get_sandbox(
        self,
        *,
        sandbox_id: str,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Sandbox:
        """Show a sandbox"""
        return await self._call(TABLE["get_sandbox"], {"sandbox_id": sandbox_id, "as_user": as_user}, models.Sandbox, options)

    async def get_sandbox_usage(
        self,
        *,
        sandbox_id: str,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Usage:
        """Show a sandbox’s usage of its limits"""
        return await self._call(TABLE["get_sandbox_usage"], {"sandbox_id": sandbox_id, "as_user": as_user}, models.Usage, options)

    async def update_sandbox(
        self,
        *,
        sandbox_id: str,
        name: str | None | Omitted = OMITTED,
        metadata: Mapping[str, Any] | None | Omitted = OMITTED,
        storage: params.GivenAccess | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Sandbox:
        """Rename a sandbox, replace its metadata or the access key of its own bucket"""
        return await self._call(TABLE["update_sandbox"], {"sandbox_id": sandbox_id, "name": name, "metadata": metadata, "storage": storage}, models.Sandbox, options)

    async def delete_sandbox(
        self,
        *,
        sandbox_id: str,
        options: CallOptions | None = None,
    ) -> models.DeletedSandbox:
        """Delete a sandbox and everything in it"""
        return await self._call(TABLE["delete_sandbox"], {"sandbox_id": sandbox_id}, models.DeletedSandbox, options)

    async def create_source(
        self,
        *,
        provider: str,
        name: str,
        sandbox_id: str | Omitted = OMITTED,
        ingestion_mode: Literal["realtime", "polling", "batch", "manual"] | Omitted = OMITTED,
        kind: Literal["durable", "ephemeral"] | Omitted = OMITTED,
        external_account_id: str | None | Omitted = OMITTED,
        adapter_config: Mapping[str, Any] | Omitted = OMITTED,
        poll_interval_seconds: int | None | Omitted = OMITTED,
        provider_credential: str | None | Omitted = OMITTED,
        provider_signing_secret: str | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Source:
        """Register a source"""
        return await self._call(TABLE["create_source"], {"sandbox_id": sandbox_id, "provider": provider, "name": name, "ingestion_mode": ingestion_mode, "kind": kind, "external_account_id": external_account_id, "adapter_config": adapter_config, "poll_interval_seconds": poll_interval_seconds, "provider_credential": provider_credential, "provider_signing_secret": provider_signing_secret}, models.Source, options)

    def list_sources(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        provider: str | Omitted = OMITTED,
        status: Literal["active", "paused", "disconnected", "error", "archived"] | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.SourcePage, models.Source]:
        """List the sources of a sandbox, newest first"""
        return self._paged(TABLE["list_sources"], {"sandbox_id": sandbox_id, "provider": provider, "status": status, "limit": limit, "cursor": cursor, "as_user": as_user}, models.SourcePage, options)

    async def get_source(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Source:
        """Show a source"""
        return await self._call(TABLE["get_source"], {"sandbox_id": sandbox_id, "source_id": source_id, "as_user": as_user}, models.Source, options)

    async def update_source(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        merge_adapter_config: bool | Omitted = OMITTED,
        name: str | None | Omitted = OMITTED,
        ingestion_mode: Literal["realtime", "polling", "batch", "manual"] | None | Omitted = OMITTED,
        external_account_id: str | None | Omitted = OMITTED,
        adapter_config: Mapping[str, Any] | None | Omitted = OMITTED,
        poll_interval_seconds: int | None | Omitted = OMITTED,
        provider_credential: str | None | Omitted = OMITTED,
        provider_signing_secret: str | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Source:
        """Change a source"""
        return await self._call(TABLE["update_source"], {"sandbox_id": sandbox_id, "source_id": source_id, "merge_adapter_config": merge_adapter_config, "name": name, "ingestion_mode": ingestion_mode, "external_account_id": external_account_id, "adapter_config": adapter_config, "poll_interval_seconds": poll_interval_seconds, "provider_credential": provider_credential, "provider_signing_secret": provider_signing_secret}, models.Source, options)

    async def list_providers(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Providers:
        """List the supported providers with their connection methods and settings"""
        return await self._call(TABLE["list_providers"], {"sandbox_id": sandbox_id, "as_user": as_user}, models.Providers, options)

    async def create_project(
        self,
        *,
        name: str,
        sandbox_id: str | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        data_source_ids: Sequence[str] | Omitted = OMITTED,
        metadata: Mapping[str, Any] | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Project:
        """Create a project"""
        return await self._call(TABLE["create_project"], {"sandbox_id": sandbox_id, "name": name, "description": description, "data_source_ids": data_source_ids, "metadata": metadata}, models.Project, options)

    def list_projects(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        status: Literal["active", "archived"] | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.ProjectPage, models.Project]:
        """List the projects of a sandbox, newest first"""
        return self._paged(TABLE["list_projects"], {"sandbox_id": sandbox_id, "status": status, "limit": limit, "cursor": cursor, "as_user": as_user}, models.ProjectPage, options)

    async def get_project(
        self,
        *,
        project_id: str,
        sandbox_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Project:
        """Show a project"""
        return await self._call(TABLE["get_project"], {"sandbox_id": sandbox_id, "project_id": project_id, "as_user": as_user}, models.Project, options)

    async def update_project(
        self,
        *,
        project_id: str,
        sandbox_id: str | Omitted = OMITTED,
        name: str | None | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        metadata: Mapping[str, Any] | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Project:
        """Change a project"""
        return await self._call(TABLE["update_project"], {"sandbox_id": sandbox_id, "project_id": project_id, "name": name, "description": description, "metadata": metadata}, models.Project, options)

    async def archive_project(
        self,
        *,
        project_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Archive a project"""
        return await self._call(TABLE["archive_project"], {"sandbox_id": sandbox_id, "project_id": project_id}, models.Done, options)

    async def delete_project(
        self,
        *,
        project_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Delete a project; its sources stay"""
        return await self._call(TABLE["delete_project"], {"sandbox_id": sandbox_id, "project_id": project_id}, models.Done, options)

    async def link_source(
        self,
        *,
        project_id: str,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Link a source to a project"""
        return await self._call(TABLE["link_source"], {"sandbox_id": sandbox_id, "project_id": project_id, "source_id": source_id}, models.Done, options)

    async def unlink_source(
        self,
        *,
        project_id: str,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Unlink a source from a project"""
        return await self._call(TABLE["unlink_source"], {"sandbox_id": sandbox_id, "project_id": project_id, "source_id": source_id}, models.Done, options)

    async def ingest(
        self,
        *,
        text: str,
        sandbox_id: str | Omitted = OMITTED,
        title: str | None | Omitted = OMITTED,
        external_id: str | None | Omitted = OMITTED,
        source_type: str | None | Omitted = OMITTED,
        storage_only: bool | None | Omitted = OMITTED,
        project_id: str | None | Omitted = OMITTED,
        data_source_id: str | None | Omitted = OMITTED,
        occurred_at: str | datetime | date | None | Omitted = OMITTED,
        speaker: str | None | Omitted = OMITTED,
        author: str | Mapping[str, Any] | None | Omitted = OMITTED,
        participants: Sequence[str] | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Accepted | models.Job:
        """Ingest a text"""
        return await self._call(TABLE["ingest"], {"sandbox_id": sandbox_id, "text": text, "title": title, "external_id": external_id, "source_type": source_type, "storage_only": storage_only, "project_id": project_id, "data_source_id": data_source_id, "occurred_at": occurred_at, "speaker": speaker, "author": author, "participants": participants}, {200: models.Job, 0: models.Accepted}, options)

    async def ingest_primary(
        self,
        *,
        text: str,
        title: str | None | Omitted = OMITTED,
        external_id: str | None | Omitted = OMITTED,
        source_type: str | None | Omitted = OMITTED,
        storage_only: bool | None | Omitted = OMITTED,
        project_id: str | None | Omitted = OMITTED,
        data_source_id: str | None | Omitted = OMITTED,
        occurred_at: str | datetime | date | None | Omitted = OMITTED,
        speaker: str | None | Omitted = OMITTED,
        author: str | Mapping[str, Any] | None | Omitted = OMITTED,
        participants: Sequence[str] | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Accepted | models.Job:
        """Ingest a text into your primary sandbox"""
        return await self._call(TABLE["ingest_primary"], {"text": text, "title": title, "external_id": external_id, "source_type": source_type, "storage_only": storage_only, "project_id": project_id, "data_source_id": data_source_id, "occurred_at": occurred_at, "speaker": speaker, "author": author, "participants": participants}, {200: models.Job, 0: models.Accepted}, options)

    async def get_job(
        self,
        *,
        job_id: str,
        sandbox_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Job:
        """Show the state of a job"""
        return await self._call(TABLE["get_job"], {"sandbox_id": sandbox_id, "job_id": job_id, "as_user": as_user}, models.Job, options)

    def list_jobs(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        status: Literal["queued", "processing", "completed", "failed", "cancelled"] | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.JobPage, models.Job]:
        """List the jobs of a sandbox, newest first"""
        return self._paged(TABLE["list_jobs"], {"sandbox_id": sandbox_id, "status": status, "limit": limit, "cursor": cursor, "as_user": as_user}, models.JobPage, options)

    async def put_records(
        self,
        *,
        source_id: str,
        records: AsyncSeveral[params.RecordInput],
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Accepted | models.Job:
        """Add, replace or remove records of a source"""
        return await self._call(TABLE["put_records"], {"sandbox_id": sandbox_id, "source_id": source_id, "records": records}, {200: models.Job, 0: models.Accepted}, options)

    async def put_messages(
        self,
        *,
        session_id: str,
        messages: Sequence[params.SessionMessage],
        sandbox_id: str | Omitted = OMITTED,
        first_place: int | Omitted = OMITTED,
        data_source_id: str | None | Omitted = OMITTED,
        project_id: str | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Accepted | models.Job:
        """Ingest messages of a conversation"""
        return await self._call(TABLE["put_messages"], {"sandbox_id": sandbox_id, "session_id": session_id, "messages": messages, "first_place": first_place, "data_source_id": data_source_id, "project_id": project_id}, {200: models.Job, 0: models.Accepted}, options)

    async def import_knowledge(
        self,
        *,
        content: AsyncContent,
        sandbox_id: str | Omitted = OMITTED,
        format: Literal["cairn", "chatgpt", "claude", "letta", "mem0", "graphiti", "cognee", "slack", "mbox", "documents", "markdown"] | Omitted = OMITTED,
        data_source_id: str | Omitted = OMITTED,
        source_name: str | Omitted = OMITTED,
        sync: bool | Omitted = OMITTED,
        project_id: str | Omitted = OMITTED,
        path: str | Omitted = OMITTED,
        content_type: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Accepted | models.Job:
        """Import an export of Cairn or of another product"""
        return await self._call(TABLE["import_knowledge"], {"sandbox_id": sandbox_id, "format": format, "data_source_id": data_source_id, "source_name": source_name, "sync": sync, "project_id": project_id, "path": path, "content": content, "content_type": content_type}, {200: models.Job, 0: models.Accepted}, options)

    async def receive_delivery(
        self,
        *,
        slug: str,
        content: AsyncContent,
        content_type: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.DeliveryAnswer | None:
        """Deliver an event from a source’s provider"""
        return await self._call(TABLE["receive_delivery"], {"slug": slug, "content": content, "content_type": content_type}, {200: models.DeliveryAnswer, 0: None}, options)

    def list_entities(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        type: str | Omitted = OMITTED,
        q: str | Omitted = OMITTED,
        sort: Literal["newest", "records", "name"] | Omitted = OMITTED,
        project_id: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.EntityPage, models.EntitySummary]:
        """List entities"""
        return self._paged(TABLE["list_entities"], {"sandbox_id": sandbox_id, "type": type, "q": q, "sort": sort, "project_id": project_id, "limit": limit, "cursor": cursor, "as_user": as_user}, models.EntityPage, options)

    async def search_entities(
        self,
        *,
        q: str,
        sandbox_id: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        min_similarity: float | Omitted = OMITTED,
        project_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.EntityHits:
        """Find entities by a name or an identifier, best first"""
        return await self._call(TABLE["search_entities"], {"sandbox_id": sandbox_id, "q": q, "limit": limit, "min_similarity": min_similarity, "project_id": project_id, "as_user": as_user}, models.EntityHits, options)

    async def get_entity(
        self,
        *,
        canonical_id: str,
        sandbox_id: str | Omitted = OMITTED,
        project_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Entity:
        """Show an entity"""
        return await self._call(TABLE["get_entity"], {"sandbox_id": sandbox_id, "canonical_id": canonical_id, "project_id": project_id, "as_user": as_user}, models.Entity, options)

    async def merge_entities(
        self,
        *,
        canonical_id: str,
        into: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.EntityDecision:
        """Merge two entities"""
        return await self._call(TABLE["merge_entities"], {"sandbox_id": sandbox_id, "canonical_id": canonical_id, "into": into}, models.EntityDecision, options)

    async def split_entity(
        self,
        *,
        canonical_id: str,
        keys: Sequence[str],
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.EntityDecision:
        """Move names and identifiers of an entity to a new entity"""
        return await self._call(TABLE["split_entity"], {"sandbox_id": sandbox_id, "canonical_id": canonical_id, "keys": keys}, models.EntityDecision, options)

    async def undo_merge(
        self,
        *,
        canonical_id: str,
        merge_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.EntityDecision:
        """Undo a merge"""
        return await self._call(TABLE["undo_merge"], {"sandbox_id": sandbox_id, "canonical_id": canonical_id, "merge_id": merge_id}, models.EntityDecision, options)

    async def list_neighbours(
        self,
        *,
        canonical_id: str,
        sandbox_id: str | Omitted = OMITTED,
        depth: int | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        project_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Neighbourhood:
        """Show the neighborhood of an entity"""
        return await self._call(TABLE["list_neighbours"], {"sandbox_id": sandbox_id, "canonical_id": canonical_id, "depth": depth, "limit": limit, "project_id": project_id, "as_user": as_user}, models.Neighbourhood, options)

    async def get_entity_profile(
        self,
        *,
        canonical_id: str,
        sandbox_id: str | Omitted = OMITTED,
        max_tokens: int | Omitted = OMITTED,
        project_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.EntityProfile:
        """Summarize an entity in a few lines"""
        return await self._call(TABLE["get_entity_profile"], {"sandbox_id": sandbox_id, "canonical_id": canonical_id, "max_tokens": max_tokens, "project_id": project_id, "as_user": as_user}, models.EntityProfile, options)

    async def get_overview(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        project_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Overview:
        """Show an overview: kinds of records, sources, main entities and topics"""
        return await self._call(TABLE["get_overview"], {"sandbox_id": sandbox_id, "project_id": project_id, "as_user": as_user}, models.Overview, options)

    def list_changes(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        since: str | Omitted = OMITTED,
        types: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        project_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.ChangePage, models.Change]:
        """List what was added, changed, removed and merged, in commit order"""
        return self._paged(TABLE["list_changes"], {"sandbox_id": sandbox_id, "since": since, "types": types, "limit": limit, "project_id": project_id, "as_user": as_user}, models.ChangePage, options)

    def list_merge_suggestions(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        state: Literal["open", "accepted", "dismissed"] | Omitted = OMITTED,
        min_likelihood: float | Omitted = OMITTED,
        project_id: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.MergeSuggestionPage, models.MergeSuggestion]:
        """List pairs of entities that may be the same, newest first"""
        return self._paged(TABLE["list_merge_suggestions"], {"sandbox_id": sandbox_id, "state": state, "min_likelihood": min_likelihood, "project_id": project_id, "limit": limit, "cursor": cursor, "as_user": as_user}, models.MergeSuggestionPage, options)

    async def accept_merge_suggestion(
        self,
        *,
        suggestion_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.SuggestionDecision:
        """Accept a suggestion: merge its two entities"""
        return await self._call(TABLE["accept_merge_suggestion"], {"sandbox_id": sandbox_id, "suggestion_id": suggestion_id}, models.SuggestionDecision, options)

    async def dismiss_merge_suggestion(
        self,
        *,
        suggestion_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.SuggestionDecision:
        """Dismiss a suggestion: keep its two entities separate"""
        return await self._call(TABLE["dismiss_merge_suggestion"], {"sandbox_id": sandbox_id, "suggestion_id": suggestion_id}, models.SuggestionDecision, options)

    def list_records(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        type: str | Omitted = OMITTED,
        source_id: str | Omitted = OMITTED,
        project_id: str | Omitted = OMITTED,
        since: str | datetime | date | Omitted = OMITTED,
        until: str | datetime | date | Omitted = OMITTED,
        phase: Literal["open", "doing", "done", "dropped"] | Omitted = OMITTED,
        owner: str | Omitted = OMITTED,
        due: str | Omitted = OMITTED,
        kind: str | Omitted = OMITTED,
        q: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.RecordPage, models.RecordSummary]:
        """List records by the time of their content, latest first"""
        return self._paged(TABLE["list_records"], {"sandbox_id": sandbox_id, "type": type, "source_id": source_id, "project_id": project_id, "since": since, "until": until, "phase": phase, "owner": owner, "due": due, "kind": kind, "q": q, "limit": limit, "cursor": cursor, "as_user": as_user}, models.RecordPage, options)

    async def get_record(
        self,
        *,
        record_id: str,
        sandbox_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.KnowledgeRecord:
        """Show a record"""
        return await self._call(TABLE["get_record"], {"sandbox_id": sandbox_id, "record_id": record_id, "as_user": as_user}, models.KnowledgeRecord, options)

    async def download_original(
        self,
        *,
        record_id: str,
        sandbox_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> bytes:
        """Download the file that a record was read from"""
        return await self._call(TABLE["download_original"], {"sandbox_id": sandbox_id, "record_id": record_id, "as_user": as_user}, bytes, options)

    def export_knowledge(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncIterator[dict[str, Any]]:
        """Export everything as NDJSON"""
        return self._lines(TABLE["export_knowledge"], {"sandbox_id": sandbox_id, "as_user": as_user}, options)

    async def delete_record(
        self,
        *,
        record_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Delete a record"""
        return await self._call(TABLE["delete_record"], {"sandbox_id": sandbox_id, "record_id": record_id}, models.Done, options)

    async def discover(
        self,
        *,
        query: str,
        sandbox_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        history: Sequence[params.ChatMessage] | Omitted = OMITTED,
        project_id: str | None | Omitted = OMITTED,
        reference_date: str | None | Omitted = OMITTED,
        time_zone: str | None | Omitted = OMITTED,
        preset: str | None | Omitted = OMITTED,
        limit: int | None | Omitted = OMITTED,
        explain: bool | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Discovery:
        """Find the items that a question is about, best first"""
        return await self._call(TABLE["discover"], {"sandbox_id": sandbox_id, "as_user": as_user, "query": query, "history": history, "project_id": project_id, "reference_date": reference_date, "time_zone": time_zone, "preset": preset, "limit": limit, "explain": explain}, models.Discovery, options)

    async def interpret(
        self,
        *,
        query: str,
        items: Sequence[Sequence[str]],
        sandbox_id: str | Omitted = OMITTED,
        history: Sequence[params.ChatMessage] | Omitted = OMITTED,
        project_id: str | None | Omitted = OMITTED,
        reference_date: str | None | Omitted = OMITTED,
        time_zone: str | None | Omitted = OMITTED,
        preset: str | None | Omitted = OMITTED,
        max_tokens: int | None | Omitted = OMITTED,
        statements: bool | None | Omitted = OMITTED,
        explain: bool | None | Omitted = OMITTED,
        store: bool | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Interpretation:
        """Summarize pinned items in a brief with citations"""
        return await self._call(TABLE["interpret"], {"sandbox_id": sandbox_id, "query": query, "history": history, "project_id": project_id, "reference_date": reference_date, "time_zone": time_zone, "preset": preset, "items": items, "max_tokens": max_tokens, "statements": statements, "explain": explain, "store": store}, models.Interpretation, options)

    def stream_interpret(
        self,
        *,
        query: str,
        items: Sequence[Sequence[str]],
        sandbox_id: str | Omitted = OMITTED,
        history: Sequence[params.ChatMessage] | Omitted = OMITTED,
        project_id: str | None | Omitted = OMITTED,
        reference_date: str | None | Omitted = OMITTED,
        time_zone: str | None | Omitted = OMITTED,
        preset: str | None | Omitted = OMITTED,
        max_tokens: int | None | Omitted = OMITTED,
        statements: bool | None | Omitted = OMITTED,
        explain: bool | None | Omitted = OMITTED,
        store: bool | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncAnswerStream[models.Interpretation]:
        """Summarize pinned items in a brief with citations"""
        return self._stream(TABLE["interpret"], {"sandbox_id": sandbox_id, "query": query, "history": history, "project_id": project_id, "reference_date": reference_date, "time_zone": time_zone, "preset": preset, "items": items, "max_tokens": max_tokens, "statements": statements, "explain": explain, "store": store}, models.Interpretation, options)

    async def search(
        self,
        *,
        query: str,
        sandbox_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        history: Sequence[params.ChatMessage] | Omitted = OMITTED,
        project_id: str | None | Omitted = OMITTED,
        reference_date: str | None | Omitted = OMITTED,
        time_zone: str | None | Omitted = OMITTED,
        preset: str | None | Omitted = OMITTED,
        detail_level: Literal["concise", "detailed"] | None | Omitted = OMITTED,
        max_tokens: int | None | Omitted = OMITTED,
        statements: bool | None | Omitted = OMITTED,
        explain: bool | None | Omitted = OMITTED,
        store: bool | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.SearchAnswer:
        """Answer a question: discover and interpret in one call"""
        return await self._call(TABLE["search"], {"sandbox_id": sandbox_id, "as_user": as_user, "query": query, "history": history, "project_id": project_id, "reference_date": reference_date, "time_zone": time_zone, "preset": preset, "detail_level": detail_level, "max_tokens": max_tokens, "statements": statements, "explain": explain, "store": store}, models.SearchAnswer, options)

    def stream_search(
        self,
        *,
        query: str,
        sandbox_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        history: Sequence[params.ChatMessage] | Omitted = OMITTED,
        project_id: str | None | Omitted = OMITTED,
        reference_date: str | None | Omitted = OMITTED,
        time_zone: str | None | Omitted = OMITTED,
        preset: str | None | Omitted = OMITTED,
        detail_level: Literal["concise", "detailed"] | None | Omitted = OMITTED,
        max_tokens: int | None | Omitted = OMITTED,
        statements: bool | None | Omitted = OMITTED,
        explain: bool | None | Omitted = OMITTED,
        store: bool | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncAnswerStream[models.SearchAnswer]:
        """Answer a question: discover and interpret in one call"""
        return self._stream(TABLE["search"], {"sandbox_id": sandbox_id, "as_user": as_user, "query": query, "history": history, "project_id": project_id, "reference_date": reference_date, "time_zone": time_zone, "preset": preset, "detail_level": detail_level, "max_tokens": max_tokens, "statements": statements, "explain": explain, "store": store}, models.SearchAnswer, options)

    async def gather_context(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        query: str | Omitted = OMITTED,
        history: Sequence[params.ChatMessage] | Omitted = OMITTED,
        project_id: str | None | Omitted = OMITTED,
        reference_date: str | None | Omitted = OMITTED,
        time_zone: str | None | Omitted = OMITTED,
        preset: str | None | Omitted = OMITTED,
        items: Sequence[Sequence[str]] | Omitted = OMITTED,
        max_tokens: int | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.GatheredContext:
        """Get the best passages for a question, up to a token limit"""
        return await self._call(TABLE["gather_context"], {"sandbox_id": sandbox_id, "query": query, "history": history, "project_id": project_id, "reference_date": reference_date, "time_zone": time_zone, "preset": preset, "items": items, "max_tokens": max_tokens}, models.GatheredContext, options)

    async def list_origins(
        self,
        *,
        canonical_ids: Sequence[str],
        sandbox_id: str | Omitted = OMITTED,
        limit_per_canonical: int | None | Omitted = OMITTED,
        project_id: str | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Origins:
        """Find the files and records of canonical ids"""
        return await self._call(TABLE["list_origins"], {"sandbox_id": sandbox_id, "canonical_ids": canonical_ids, "limit_per_canonical": limit_per_canonical, "project_id": project_id}, models.Origins, options)

    def list_answers(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.AnswerPage, models.AnswerSummary]:
        """List your stored answers, newest first"""
        return self._paged(TABLE["list_answers"], {"sandbox_id": sandbox_id, "limit": limit, "cursor": cursor, "as_user": as_user}, models.AnswerPage, options)

    async def get_answer(
        self,
        *,
        answer_id: str,
        sandbox_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.StoredAnswer:
        """Read a stored answer"""
        return await self._call(TABLE["get_answer"], {"sandbox_id": sandbox_id, "answer_id": answer_id, "as_user": as_user}, models.StoredAnswer, options)

    async def delete_answer(
        self,
        *,
        answer_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Delete your stored answer and the feedback on it"""
        return await self._call(TABLE["delete_answer"], {"sandbox_id": sandbox_id, "answer_id": answer_id}, models.Done, options)

    async def give_feedback(
        self,
        *,
        answer_id: str,
        verdict: Literal["right", "partly", "wrong"],
        sandbox_id: str | Omitted = OMITTED,
        note: str | None | Omitted = OMITTED,
        expected_record_ids: Sequence[str] | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Feedback:
        """Say whether an answer is right"""
        return await self._call(TABLE["give_feedback"], {"sandbox_id": sandbox_id, "answer_id": answer_id, "verdict": verdict, "note": note, "expected_record_ids": expected_record_ids}, models.Feedback, options)

    def list_feedback(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        verdict: Literal["right", "partly", "wrong"] | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.FeedbackPage, models.FeedbackEntry]:
        """List feedback with its question and what was retrieved, newest first"""
        return self._paged(TABLE["list_feedback"], {"sandbox_id": sandbox_id, "verdict": verdict, "limit": limit, "cursor": cursor, "as_user": as_user}, models.FeedbackPage, options)

    async def export_questions(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> str:
        """Export the questions whose answers were partly right or wrong, as CSV"""
        return await self._call(TABLE["export_questions"], {"sandbox_id": sandbox_id, "as_user": as_user}, str, options)

    async def share_answer(
        self,
        *,
        answer_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Let members of the account read your answer"""
        return await self._call(TABLE["share_answer"], {"sandbox_id": sandbox_id, "answer_id": answer_id}, models.Done, options)

    async def unshare_answer(
        self,
        *,
        answer_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Stop sharing your answer"""
        return await self._call(TABLE["unshare_answer"], {"sandbox_id": sandbox_id, "answer_id": answer_id}, models.Done, options)

    async def evaluate(
        self,
        *,
        questions: Sequence[params.EvaluationQuestion],
        sandbox_id: str | Omitted = OMITTED,
        settings: params.EvaluationSettings | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Accepted:
        """Ask many questions in the background and grade the answers"""
        return await self._call(TABLE["evaluate"], {"sandbox_id": sandbox_id, "questions": questions, "settings": settings}, models.Accepted, options)

    def list_evaluations(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.EvaluationPage, models.EvaluationSummary]:
        """List your evaluations, newest first"""
        return self._paged(TABLE["list_evaluations"], {"sandbox_id": sandbox_id, "limit": limit, "cursor": cursor, "as_user": as_user}, models.EvaluationPage, options)

    async def get_evaluation(
        self,
        *,
        evaluation_id: str,
        sandbox_id: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Evaluation:
        """Show an evaluation with every question, answer and grade"""
        return await self._call(TABLE["get_evaluation"], {"sandbox_id": sandbox_id, "evaluation_id": evaluation_id, "as_user": as_user}, models.Evaluation, options)

    async def delete_evaluation(
        self,
        *,
        evaluation_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Stop and delete an evaluation with its questions and answers"""
        return await self._call(TABLE["delete_evaluation"], {"sandbox_id": sandbox_id, "evaluation_id": evaluation_id}, models.Done, options)

    async def get_usage(
        self,
        *,
        from_: str | date | Omitted = OMITTED,
        to: str | date | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.AccountUsage:
        """Show the usage of your account"""
        return await self._call(TABLE["get_usage"], {"from": from_, "to": to}, models.AccountUsage, options)

    async def get_usage_balance(
        self,
        *,
        options: CallOptions | None = None,
    ) -> models.UsageBalance:
        """Show the model costs of your account"""
        return await self._call(TABLE["get_usage_balance"], {}, models.UsageBalance, options)

    async def create_connection(
        self,
        *,
        role: Literal["viewer", "editor"],
        sandbox_id: str | Omitted = OMITTED,
        user_id: str | Omitted = OMITTED,
        grantee: params.Grantee | None | Omitted = OMITTED,
        email: str | None | Omitted = OMITTED,
        project_id: str | None | Omitted = OMITTED,
        label: str | None | Omitted = OMITTED,
        expires_at: str | datetime | date | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Connection:
        """Share a sandbox, or one project of it, with an account, a member or a group"""
        return await self._call(TABLE["create_connection"], {"sandbox_id": sandbox_id, "user_id": user_id, "grantee": grantee, "email": email, "role": role, "project_id": project_id, "label": label, "expires_at": expires_at}, models.Connection, options)

    async def list_connections(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        include_revoked: bool | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> list[models.Connection]:
        """List whom a sandbox is shared with, newest first"""
        return await self._call(TABLE["list_connections"], {"sandbox_id": sandbox_id, "include_revoked": include_revoked, "as_user": as_user}, list[models.Connection], options)

    async def revoke_connection(
        self,
        *,
        connection_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Revoke a connection and all its keys"""
        return await self._call(TABLE["revoke_connection"], {"sandbox_id": sandbox_id, "connection_id": connection_id}, models.Done, options)

    async def create_connection_key(
        self,
        *,
        connection_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.ConnectionKey:
        """Create a key for a connection"""
        return await self._call(TABLE["create_connection_key"], {"sandbox_id": sandbox_id, "connection_id": connection_id}, models.ConnectionKey, options)

    def list_audit(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.AuditPage, models.AuditEvent]:
        """Show the audit log of a sandbox, newest first"""
        return self._paged(TABLE["list_audit"], {"sandbox_id": sandbox_id, "limit": limit, "cursor": cursor, "as_user": as_user}, models.AuditPage, options)

    async def create_account(
        self,
        *,
        user_id: str | None | Omitted = OMITTED,
        display_name: str | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.CreatedAccount:
        """Create an account and its first API key"""
        return await self._call(TABLE["create_account"], {"user_id": user_id, "display_name": display_name}, models.CreatedAccount, options)

    def list_accounts(
        self,
        *,
        status: Literal["active", "suspended"] | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.AccountPage, models.Account]:
        """List the accounts, newest first"""
        return self._paged(TABLE["list_accounts"], {"status": status, "limit": limit, "cursor": cursor}, models.AccountPage, options)

    async def create_account_key(
        self,
        *,
        user_id: str,
        name: str,
        expires_in_days: int | None | Omitted = OMITTED,
        revoke_others: bool | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.CreatedAccountKey:
        """Create another API key for an account"""
        return await self._call(TABLE["create_account_key"], {"user_id": user_id, "name": name, "expires_in_days": expires_in_days, "revoke_others": revoke_others}, models.CreatedAccountKey, options)

    async def suspend_account(
        self,
        *,
        user_id: str,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Suspend an account"""
        return await self._call(TABLE["suspend_account"], {"user_id": user_id}, models.Done, options)

    async def reactivate_account(
        self,
        *,
        user_id: str,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Reactivate a suspended account"""
        return await self._call(TABLE["reactivate_account"], {"user_id": user_id}, models.Done, options)

    async def delete_account(
        self,
        *,
        user_id: str,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Erase an account and all its data"""
        return await self._call(TABLE["delete_account"], {"user_id": user_id}, models.Done, options)

    async def update_sandbox_tier(
        self,
        *,
        sandbox_id: str,
        tier: Literal["free", "pro", "enterprise"],
        options: CallOptions | None = None,
    ) -> models.Sandbox:
        """Set the tier of a sandbox"""
        return await self._call(TABLE["update_sandbox_tier"], {"sandbox_id": sandbox_id, "tier": tier}, models.Sandbox, options)

    def list_audit_chain(
        self,
        *,
        chain: str,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.AuditPage, models.AuditEvent]:
        """Show an audit log, including that of erased sandboxes and accounts, newest first"""
        return self._paged(TABLE["list_audit_chain"], {"chain": chain, "limit": limit, "cursor": cursor}, models.AuditPage, options)

    async def create_console_code(
        self,
        *,
        options: CallOptions | None = None,
    ) -> models.ConsoleCode:
        """Create a link that signs in to the console"""
        return await self._call(TABLE["create_console_code"], {}, models.ConsoleCode, options)

    async def create_account_console_code(
        self,
        *,
        user_id: str,
        options: CallOptions | None = None,
    ) -> models.ConsoleCode:
        """Create a link that signs an account in to the console"""
        return await self._call(TABLE["create_account_console_code"], {"user_id": user_id}, models.ConsoleCode, options)

    async def sign_in_to_console(
        self,
        *,
        code: str,
        cookie: bool | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.ConsoleSignedIn:
        """Exchange a code for an API key or a session cookie"""
        return await self._call(TABLE["sign_in_to_console"], {"code": code, "cookie": cookie}, models.ConsoleSignedIn, options)

    def list_members(
        self,
        *,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.MemberPage, models.Member]:
        """List the members of your account, newest first"""
        return self._paged(TABLE["list_members"], {"limit": limit, "cursor": cursor}, models.MemberPage, options)

    async def update_member(
        self,
        *,
        member_id: str,
        role: Literal["owner", "admin", "member", "viewer"] | None | Omitted = OMITTED,
        status: Literal["active", "suspended"] | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Member:
        """Change a member’s role, suspend or reactivate a member"""
        return await self._call(TABLE["update_member"], {"member_id": member_id, "role": role, "status": status}, models.Member, options)

    async def remove_member(
        self,
        *,
        member_id: str,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Remove a member"""
        return await self._call(TABLE["remove_member"], {"member_id": member_id}, models.Done, options)

    async def create_member_code(
        self,
        *,
        member_id: str,
        options: CallOptions | None = None,
    ) -> models.ConsoleCode:
        """Create a link that signs a member in, for a service without an identity provider"""
        return await self._call(TABLE["create_member_code"], {"member_id": member_id}, models.ConsoleCode, options)

    async def create_invitation(
        self,
        *,
        role: Literal["owner", "admin", "member", "viewer"],
        email: str | None | Omitted = OMITTED,
        groups: Sequence[str] | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.CreatedInvitation:
        """Invite a person to your account"""
        return await self._call(TABLE["create_invitation"], {"role": role, "email": email, "groups": groups}, models.CreatedInvitation, options)

    def list_invitations(
        self,
        *,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.InvitationPage, models.Invitation]:
        """List invitations, newest first"""
        return self._paged(TABLE["list_invitations"], {"limit": limit, "cursor": cursor}, models.InvitationPage, options)

    async def delete_invitation(
        self,
        *,
        invitation_id: str,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Withdraw an invitation"""
        return await self._call(TABLE["delete_invitation"], {"invitation_id": invitation_id}, models.Done, options)

    def list_groups(
        self,
        *,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.GroupPage, models.Group]:
        """List the groups of your account, newest first"""
        return self._paged(TABLE["list_groups"], {"limit": limit, "cursor": cursor}, models.GroupPage, options)

    async def create_group(
        self,
        *,
        name: str,
        claim: str | None | Omitted = OMITTED,
        member_ids: Sequence[str] | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Group:
        """Create a group of members"""
        return await self._call(TABLE["create_group"], {"name": name, "claim": claim, "member_ids": member_ids}, models.Group, options)

    async def update_group(
        self,
        *,
        group_id: str,
        name: str | None | Omitted = OMITTED,
        claim: str | None | Omitted = OMITTED,
        member_ids: Sequence[str] | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Group:
        """Rename a group, or replace its members or its claim"""
        return await self._call(TABLE["update_group"], {"group_id": group_id, "name": name, "claim": claim, "member_ids": member_ids}, models.Group, options)

    async def delete_group(
        self,
        *,
        group_id: str,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Delete a group and the grants that name it"""
        return await self._call(TABLE["delete_group"], {"group_id": group_id}, models.Done, options)

    def list_group_roles(
        self,
        *,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.GroupRolePage, models.GroupRole]:
        """List the roles that values of the groups claim give"""
        return self._paged(TABLE["list_group_roles"], {"limit": limit, "cursor": cursor}, models.GroupRolePage, options)

    async def put_group_role(
        self,
        *,
        claim: str,
        role: Literal["owner", "admin", "member", "viewer"],
        options: CallOptions | None = None,
    ) -> models.GroupRole:
        """Set the role that a value of the groups claim gives"""
        return await self._call(TABLE["put_group_role"], {"claim": claim, "role": role}, models.GroupRole, options)

    async def delete_group_role(
        self,
        *,
        group_role_id: str,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Remove the role that a value of the groups claim gives"""
        return await self._call(TABLE["delete_group_role"], {"group_role_id": group_role_id}, models.Done, options)

    async def begin_sign_in(
        self,
        *,
        invitation: str | Omitted = OMITTED,
        account: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> str:
        """Redirect a browser to the identity provider"""
        return await self._call(TABLE["begin_sign_in"], {"invitation": invitation, "account": account}, str, options)

    async def receive_sign_in(
        self,
        *,
        state: str | Omitted = OMITTED,
        code: str | Omitted = OMITTED,
        iss: str | Omitted = OMITTED,
        error: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> str:
        """Receive the browser from the identity provider"""
        return await self._call(TABLE["receive_sign_in"], {"state": state, "code": code, "iss": iss, "error": error}, str, options)

    async def receive_backchannel_logout(
        self,
        *,
        content: AsyncContent,
        content_type: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """End the sessions that the identity provider names"""
        return await self._call(TABLE["receive_backchannel_logout"], {"content": content, "content_type": content_type}, models.Done, options)

    async def accept_invitation(
        self,
        *,
        code: str,
        display_name: str,
        options: CallOptions | None = None,
    ) -> models.SignedIn:
        """Join an account by an invitation if no identity provider is configured"""
        return await self._call(TABLE["accept_invitation"], {"code": code, "display_name": display_name}, models.SignedIn, options)

    async def get_session(
        self,
        *,
        options: CallOptions | None = None,
    ) -> models.Session:
        """Show who you are and when your session ends"""
        return await self._call(TABLE["get_session"], {}, models.Session, options)

    async def sign_out(
        self,
        *,
        options: CallOptions | None = None,
    ) -> models.Done:
        """End your session"""
        return await self._call(TABLE["sign_out"], {}, models.Done, options)

    async def end_sessions(
        self,
        *,
        options: CallOptions | None = None,
    ) -> models.Done:
        """End all your sessions, in every browser"""
        return await self._call(TABLE["end_sessions"], {}, models.Done, options)

    async def suspend_sandbox(
        self,
        *,
        sandbox_id: str,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Suspend a sandbox"""
        return await self._call(TABLE["suspend_sandbox"], {"sandbox_id": sandbox_id}, models.Done, options)

    async def reactivate_sandbox(
        self,
        *,
        sandbox_id: str,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Reactivate a suspended or archived sandbox"""
        return await self._call(TABLE["reactivate_sandbox"], {"sandbox_id": sandbox_id}, models.Done, options)

    async def archive_sandbox(
        self,
        *,
        sandbox_id: str,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Archive a sandbox"""
        return await self._call(TABLE["archive_sandbox"], {"sandbox_id": sandbox_id}, models.Done, options)

    async def rotate_sandbox_key(
        self,
        *,
        sandbox_id: str,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Change a sandbox’s customer-managed key"""
        return await self._call(TABLE["rotate_sandbox_key"], {"sandbox_id": sandbox_id}, models.Done, options)

    async def delete_owner(
        self,
        *,
        owner_id: str,
        options: CallOptions | None = None,
    ) -> models.ErasedOwner:
        """Erase all sandboxes of one of your end users"""
        return await self._call(TABLE["delete_owner"], {"owner_id": owner_id}, models.ErasedOwner, options)

    async def pause_source(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Pause a source"""
        return await self._call(TABLE["pause_source"], {"sandbox_id": sandbox_id, "source_id": source_id}, models.Done, options)

    async def resume_source(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Reactivate a paused, failing or archived source"""
        return await self._call(TABLE["resume_source"], {"sandbox_id": sandbox_id, "source_id": source_id}, models.Done, options)

    async def disconnect_source(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Disconnect a source permanently"""
        return await self._call(TABLE["disconnect_source"], {"sandbox_id": sandbox_id, "source_id": source_id}, models.Done, options)

    async def rotate_webhook_secret(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        grace_seconds: int | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Source:
        """Give a realtime source a new webhook secret"""
        return await self._call(TABLE["rotate_webhook_secret"], {"sandbox_id": sandbox_id, "source_id": source_id, "grace_seconds": grace_seconds}, models.Source, options)

    async def pull_source(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        since: str | datetime | date | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.PulledSource:
        """Pull new data from the provider now"""
        return await self._call(TABLE["pull_source"], {"sandbox_id": sandbox_id, "source_id": source_id, "since": since}, models.PulledSource, options)

    async def purge_source(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        delete_source: bool | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.PurgedSource:
        """Erase everything that a source delivered"""
        return await self._call(TABLE["purge_source"], {"sandbox_id": sandbox_id, "source_id": source_id, "delete_source": delete_source}, models.PurgedSource, options)

    async def delete_source(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Remove a source’s registration but keep its data"""
        return await self._call(TABLE["delete_source"], {"sandbox_id": sandbox_id, "source_id": source_id}, models.Done, options)

    def list_runs(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.RunPage, models.SourceRun]:
        """List the runs of a source, newest first"""
        return self._paged(TABLE["list_runs"], {"sandbox_id": sandbox_id, "source_id": source_id, "limit": limit, "cursor": cursor, "as_user": as_user}, models.RunPage, options)

    def list_run_files(
        self,
        *,
        source_id: str,
        job_id: str,
        sandbox_id: str | Omitted = OMITTED,
        unread: bool | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.RunFilePage, models.ImportedFile]:
        """List the files of an import with their state"""
        return self._paged(TABLE["list_run_files"], {"sandbox_id": sandbox_id, "source_id": source_id, "job_id": job_id, "unread": unread, "limit": limit, "cursor": cursor, "as_user": as_user}, models.RunFilePage, options)

    def list_deliveries(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.DeliveryPage, models.SourceDelivery]:
        """List the deliveries to a source’s webhook with their state, newest first"""
        return self._paged(TABLE["list_deliveries"], {"sandbox_id": sandbox_id, "source_id": source_id, "limit": limit, "cursor": cursor, "as_user": as_user}, models.DeliveryPage, options)

    async def create_user_mcp(
        self,
        *,
        name: str,
        base_url: str,
        auth_kind: Literal["bearer", "header_token", "oauth", "none"],
        sandbox_id: str | Omitted = OMITTED,
        token: str | None | Omitted = OMITTED,
        auth_header: str | None | Omitted = OMITTED,
        scopes: Sequence[str] | None | Omitted = OMITTED,
        client_id: str | None | Omitted = OMITTED,
        client_secret: str | None | Omitted = OMITTED,
        app_namespace: str | None | Omitted = OMITTED,
        allowed_tools: Sequence[str] | None | Omitted = OMITTED,
        ingest_tool_calls: Sequence[params.IngestToolCall] | None | Omitted = OMITTED,
        server_profile: Literal["auto", "none"] | None | Omitted = OMITTED,
        profile_parameters: Sequence[Mapping[str, str]] | None | Omitted = OMITTED,
        ingestion_mode: Literal["polling", "manual"] | None | Omitted = OMITTED,
        rate_cap_per_minute: int | None | Omitted = OMITTED,
        webhook_rate_cap_per_minute: int | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Register an MCP tool server"""
        return await self._call(TABLE["create_user_mcp"], {"sandbox_id": sandbox_id, "name": name, "base_url": base_url, "auth_kind": auth_kind, "token": token, "auth_header": auth_header, "scopes": scopes, "client_id": client_id, "client_secret": client_secret, "app_namespace": app_namespace, "allowed_tools": allowed_tools, "ingest_tool_calls": ingest_tool_calls, "server_profile": server_profile, "profile_parameters": profile_parameters, "ingestion_mode": ingestion_mode, "rate_cap_per_minute": rate_cap_per_minute, "webhook_rate_cap_per_minute": webhook_rate_cap_per_minute}, models.Outcome, options)

    async def update_user_mcp(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        name: str | None | Omitted = OMITTED,
        base_url: str | None | Omitted = OMITTED,
        auth_kind: Literal["bearer", "header_token", "oauth", "none"] | None | Omitted = OMITTED,
        token: str | None | Omitted = OMITTED,
        auth_header: str | None | Omitted = OMITTED,
        scopes: Sequence[str] | None | Omitted = OMITTED,
        client_id: str | None | Omitted = OMITTED,
        client_secret: str | None | Omitted = OMITTED,
        app_namespace: str | None | Omitted = OMITTED,
        allowed_tools: Sequence[str] | None | Omitted = OMITTED,
        ingest_tool_calls: Sequence[params.IngestToolCall] | None | Omitted = OMITTED,
        server_profile: Literal["auto", "none"] | None | Omitted = OMITTED,
        profile_parameters: Sequence[Mapping[str, str]] | None | Omitted = OMITTED,
        ingestion_mode: Literal["polling", "manual"] | None | Omitted = OMITTED,
        rate_cap_per_minute: int | None | Omitted = OMITTED,
        webhook_rate_cap_per_minute: int | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Change a tool server or its credential"""
        return await self._call(TABLE["update_user_mcp"], {"sandbox_id": sandbox_id, "source_id": source_id, "name": name, "base_url": base_url, "auth_kind": auth_kind, "token": token, "auth_header": auth_header, "scopes": scopes, "client_id": client_id, "client_secret": client_secret, "app_namespace": app_namespace, "allowed_tools": allowed_tools, "ingest_tool_calls": ingest_tool_calls, "server_profile": server_profile, "profile_parameters": profile_parameters, "ingestion_mode": ingestion_mode, "rate_cap_per_minute": rate_cap_per_minute, "webhook_rate_cap_per_minute": webhook_rate_cap_per_minute}, models.Outcome, options)

    async def test_user_mcp(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Check a tool server now"""
        return await self._call(TABLE["test_user_mcp"], {"sandbox_id": sandbox_id, "source_id": source_id}, models.Outcome, options)

    async def authorize_user_mcp(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        scopes: Sequence[str] | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Start the consent of a source with auth_kind oauth"""
        return await self._call(TABLE["authorize_user_mcp"], {"sandbox_id": sandbox_id, "source_id": source_id, "scopes": scopes}, models.Outcome, options)

    async def complete_user_mcp_authorization(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        code: str | None | Omitted = OMITTED,
        callback_url: str | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Complete a consent with its confirmation code or callback URL"""
        return await self._call(TABLE["complete_user_mcp_authorization"], {"sandbox_id": sandbox_id, "source_id": source_id, "code": code, "callback_url": callback_url}, models.Outcome, options)

    async def revoke_user_mcp(
        self,
        *,
        source_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Outcome:
        """Delete the credentials of a tool server and disconnect it permanently"""
        return await self._call(TABLE["revoke_user_mcp"], {"sandbox_id": sandbox_id, "source_id": source_id}, models.Outcome, options)

    async def receive_o_auth_callback(
        self,
        *,
        state: str | Omitted = OMITTED,
        code: str | Omitted = OMITTED,
        iss: str | Omitted = OMITTED,
        error: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> str:
        """Receive the browser from an authorization server"""
        return await self._call(TABLE["receive_o_auth_callback"], {"state": state, "code": code, "iss": iss, "error": error}, str, options)

    async def receive_o_auth_issuer_callback(
        self,
        *,
        issuer_tag: str,
        state: str | Omitted = OMITTED,
        code: str | Omitted = OMITTED,
        iss: str | Omitted = OMITTED,
        error: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> str:
        """Receive the browser from an authorization server that does not name itself"""
        return await self._call(TABLE["receive_o_auth_issuer_callback"], {"issuer_tag": issuer_tag, "state": state, "code": code, "iss": iss, "error": error}, str, options)

    async def get_o_auth_client(
        self,
        *,
        options: CallOptions | None = None,
    ) -> dict[str, Any]:
        """Describe this service as an OAuth client"""
        return await self._call(TABLE["get_o_auth_client"], {}, dict[str, Any], options)

    async def create_tracker(
        self,
        *,
        api_key: str,
        sandbox_id: str | Omitted = OMITTED,
        name: str | None | Omitted = OMITTED,
        include: Sequence[Literal["teams", "users", "projects", "issues", "cycles"]] | None | Omitted = OMITTED,
        ingestion_mode: Literal["polling", "manual"] | None | Omitted = OMITTED,
        rate_cap_per_minute: int | None | Omitted = OMITTED,
        poll_interval_seconds: int | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.TrackerOutcome:
        """Register Linear, which is read through its tool server"""
        return await self._call(TABLE["create_tracker"], {"sandbox_id": sandbox_id, "api_key": api_key, "name": name, "include": include, "ingestion_mode": ingestion_mode, "rate_cap_per_minute": rate_cap_per_minute, "poll_interval_seconds": poll_interval_seconds}, models.TrackerOutcome, options)

    async def create_webhook(
        self,
        *,
        url: str,
        sandbox_id: str | Omitted = OMITTED,
        events: Sequence[Literal["record.added", "record.changed", "record.removed", "entity.added", "entity.changed", "entity.removed", "entity.merged"]] | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.SecretWebhook:
        """Create a webhook that receives changes"""
        return await self._call(TABLE["create_webhook"], {"sandbox_id": sandbox_id, "url": url, "events": events, "description": description}, models.SecretWebhook, options)

    def list_webhooks(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.WebhookPage, models.Webhook]:
        """List the webhooks of a sandbox, newest first"""
        return self._paged(TABLE["list_webhooks"], {"sandbox_id": sandbox_id, "limit": limit, "cursor": cursor, "as_user": as_user}, models.WebhookPage, options)

    async def update_webhook(
        self,
        *,
        webhook_id: str,
        sandbox_id: str | Omitted = OMITTED,
        url: str | None | Omitted = OMITTED,
        events: Sequence[Literal["record.added", "record.changed", "record.removed", "entity.added", "entity.changed", "entity.removed", "entity.merged"]] | None | Omitted = OMITTED,
        description: str | None | Omitted = OMITTED,
        status: Literal["active", "paused"] | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Webhook:
        """Change, pause or reactivate a webhook"""
        return await self._call(TABLE["update_webhook"], {"sandbox_id": sandbox_id, "webhook_id": webhook_id, "url": url, "events": events, "description": description, "status": status}, models.Webhook, options)

    async def delete_webhook(
        self,
        *,
        webhook_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.Done:
        """Delete a webhook with its secret and deliveries"""
        return await self._call(TABLE["delete_webhook"], {"sandbox_id": sandbox_id, "webhook_id": webhook_id}, models.Done, options)

    async def rotate_signing_secret(
        self,
        *,
        webhook_id: str,
        sandbox_id: str | Omitted = OMITTED,
        grace_seconds: int | None | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.SecretWebhook:
        """Rotate the signing secret of a webhook"""
        return await self._call(TABLE["rotate_signing_secret"], {"sandbox_id": sandbox_id, "webhook_id": webhook_id, "grace_seconds": grace_seconds}, models.SecretWebhook, options)

    async def test_webhook(
        self,
        *,
        webhook_id: str,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.WebhookDelivery:
        """Send a test message of type `webhook.test` to a webhook now"""
        return await self._call(TABLE["test_webhook"], {"sandbox_id": sandbox_id, "webhook_id": webhook_id}, models.WebhookDelivery, options)

    def list_webhook_deliveries(
        self,
        *,
        webhook_id: str,
        sandbox_id: str | Omitted = OMITTED,
        limit: int | Omitted = OMITTED,
        cursor: str | Omitted = OMITTED,
        as_user: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> AsyncPaged[models.WebhookDeliveryPage, models.WebhookDelivery]:
        """List the deliveries of a webhook, newest first"""
        return self._paged(TABLE["list_webhook_deliveries"], {"sandbox_id": sandbox_id, "webhook_id": webhook_id, "limit": limit, "cursor": cursor, "as_user": as_user}, models.WebhookDeliveryPage, options)

    async def send_mcp_message(
        self,
        *,
        jsonrpc: Literal["2.0"],
        sandbox_id: str | Omitted = OMITTED,
        project: str | Omitted = OMITTED,
        tools: Literal["read", "live"] | Omitted = OMITTED,
        id: str | int | Omitted = OMITTED,
        method: str | Omitted = OMITTED,
        params: Mapping[str, Any] | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> dict[str, Any]:
        """Use a sandbox over the Model Context Protocol"""
        return await self._call(TABLE["send_mcp_message"], {"sandbox_id": sandbox_id, "project": project, "tools": tools, "jsonrpc": jsonrpc, "id": id, "method": method, "params": params}, dict[str, Any], options)

    async def send_mcp_message_primary(
        self,
        *,
        jsonrpc: Literal["2.0"],
        project: str | Omitted = OMITTED,
        tools: Literal["read", "live"] | Omitted = OMITTED,
        id: str | int | Omitted = OMITTED,
        method: str | Omitted = OMITTED,
        params: Mapping[str, Any] | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> dict[str, Any]:
        """Use your primary sandbox over the Model Context Protocol"""
        return await self._call(TABLE["send_mcp_message_primary"], {"project": project, "tools": tools, "jsonrpc": jsonrpc, "id": id, "method": method, "params": params}, dict[str, Any], options)

    async def get_health(
        self,
        *,
        options: CallOptions | None = None,
    ) -> models.Health:
        """Check if the process is running"""
        return await self._call(TABLE["get_health"], {}, models.Health, options)

    async def get_readiness(
        self,
        *,
        options: CallOptions | None = None,
    ) -> models.Health:
        """Check if the service accepts requests"""
        return await self._call(TABLE["get_readiness"], {}, models.Health, options)

    async def get_metrics(
        self,
        *,
        options: CallOptions | None = None,
    ) -> str:
        """Metrics for Prometheus"""
        return await self._call(TABLE["get_metrics"], {}, str, options)

    async def get_open_api(
        self,
        *,
        options: CallOptions | None = None,
    ) -> dict[str, Any]:
        """This document"""
        return await self._call(TABLE["get_open_api"], {}, dict[str, Any], options)

    async def get_reference(
        self,
        *,
        options: CallOptions | None = None,
    ) -> str:
        """This document as a web page"""
        return await self._call(TABLE["get_reference"], {}, str, options)

    async def get_mcp_metadata(
        self,
        *,
        sandbox_id: str | Omitted = OMITTED,
        options: CallOptions | None = None,
    ) -> models.ProtectedResource:
        """Where tokens for the MCP endpoint of a sandbox come from (RFC 9728)"""
        return await self._call(TABLE["get_mcp_metadata"], {"sandbox_id": sandbox_id}, models.ProtectedResource, options)

    async def get_mcp_metadata_primary(
        self,
        *,
        options: CallOptions | None = None,
    ) -> models.ProtectedResource:
        """Where tokens for the MCP endpoint of a primary sandbox come from (RFC 9728)"""
        return await self._call(TABLE["get_mcp_metadata_primary"], {}, models.ProtectedResource, options)

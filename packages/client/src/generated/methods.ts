// Made by `npm run clients` of the contract. A test compares it.
import type { AnswerStream } from '../answer-stream.ts'
import type { Content, Lines, Nothing, Several } from '../content.ts'
import type { Paged } from '../paged.ts'
import type { CallOptions } from '../request.ts'
import type {
  AcceptInvitation,
  Accepted,
  Account,
  AccountPage,
  AccountUsage,
  AnswerPage,
  AnswerSummary,
  ApiKey,
  AuditEvent,
  AuditPage,
  Change,
  ChangePage,
  CompleteAuthorization,
  Connection,
  ConnectionKey,
  ConsoleCode,
  ConsoleSignIn,
  ConsoleSignedIn,
  CreateAccount,
  CreateAccountKey,
  CreateApiKey,
  CreateConnection,
  CreateGroup,
  CreateInvitation,
  CreateProject,
  CreateSandbox,
  CreateWebhook,
  CreatedAccount,
  CreatedAccountKey,
  CreatedApiKey,
  CreatedInvitation,
  DeletedSandbox,
  DeliveryAnswer,
  DeliveryPage,
  Discover,
  Discovery,
  Done,
  Entity,
  EntityDecision,
  EntityHits,
  EntityPage,
  EntityProfile,
  EntitySummary,
  EraseOwner,
  ErasedOwner,
  Evaluate,
  Evaluation,
  EvaluationPage,
  EvaluationSummary,
  Feedback,
  FeedbackEntry,
  FeedbackPage,
  GatherContext,
  GatheredContext,
  GiveFeedback,
  Group,
  GroupPage,
  GroupRole,
  GroupRolePage,
  Health,
  ImportedFile,
  IngestText,
  Interpret,
  Interpretation,
  Invitation,
  InvitationPage,
  Job,
  JobPage,
  KnowledgeRecord,
  ListOrigins,
  McpMessage,
  Member,
  MemberPage,
  MergeSuggestion,
  MergeSuggestionPage,
  Neighbourhood,
  Origins,
  Outcome,
  Overview,
  Profile,
  Project,
  ProjectPage,
  ProtectedResource,
  Providers,
  PullSource,
  PulledSource,
  PurgeSource,
  PurgedSource,
  PutGroupRole,
  RecordInput,
  RecordPage,
  RecordSummary,
  RegisterSource,
  RegisterTracker,
  RegisterUserMcp,
  RevokedApiKey,
  RotateSecret,
  RotateSigningSecret,
  RunFilePage,
  RunPage,
  Sandbox,
  SandboxPage,
  Search,
  SearchAnswer,
  SecretWebhook,
  Session,
  SessionMessages,
  SetTier,
  SignedIn,
  Source,
  SourceDelivery,
  SourcePage,
  SourceRun,
  StartAuthorization,
  StoredAnswer,
  SuggestionDecision,
  TrackerOutcome,
  UpdateGroup,
  UpdateMember,
  UpdateProfile,
  UpdateProject,
  UpdateSandbox,
  UpdateSource,
  UpdateUserMcp,
  UpdateWebhook,
  Usage,
  UsageBalance,
  Webhook,
  WebhookDelivery,
  WebhookDeliveryPage,
  WebhookPage,
} from './types.ts'

/** Every operation of the API. What it takes is one object: parts of path, query and body, as on the wire. */
export interface Methods {
  /** Create an API key */
  createApiKey(input: CreateApiKey, options?: CallOptions): Promise<CreatedApiKey>
  /** List your API keys, newest first */
  listApiKeys(input?: Nothing, options?: CallOptions): Promise<ApiKey[]>
  /** Revoke an API key */
  revokeApiKey(input: { key_id: string }, options?: CallOptions): Promise<RevokedApiKey>
  /** Show your account */
  getProfile(input?: Nothing, options?: CallOptions): Promise<Profile>
  /** Change your account’s name, primary sandbox or default project */
  updateProfile(input?: UpdateProfile, options?: CallOptions): Promise<Profile>
  /** Create a sandbox */
  createSandbox(input: Omit<CreateSandbox, 'owner_id'> & { owner_id?: string }, options?: CallOptions): Promise<Sandbox>
  /** List the sandboxes that you own or have access to through a grant, newest first */
  listSandboxes(input?: { status?: 'active' | 'suspended' | 'archived'; owner_id?: string; limit?: number; cursor?: string }, options?: CallOptions): Paged<SandboxPage, Sandbox>
  /** Show a sandbox */
  getSandbox(input: { sandbox_id: string; as_user?: string }, options?: CallOptions): Promise<Sandbox>
  /** Show a sandbox’s usage of its limits */
  getSandboxUsage(input: { sandbox_id: string; as_user?: string }, options?: CallOptions): Promise<Usage>
  /** Rename a sandbox, replace its metadata or the access key of its own bucket */
  updateSandbox(input: { sandbox_id: string } & UpdateSandbox, options?: CallOptions): Promise<Sandbox>
  /** Delete a sandbox and everything in it */
  deleteSandbox(input: { sandbox_id: string }, options?: CallOptions): Promise<DeletedSandbox>
  /** Register a source */
  createSource(input: { sandbox_id?: string } & RegisterSource, options?: CallOptions): Promise<Source>
  /** List the sources of a sandbox, newest first */
  listSources(input?: { sandbox_id?: string; provider?: string; status?: 'active' | 'paused' | 'disconnected' | 'error' | 'archived'; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<SourcePage, Source>
  /** Show a source */
  getSource(input: { sandbox_id?: string; source_id: string; as_user?: string }, options?: CallOptions): Promise<Source>
  /** Change a source */
  updateSource(input: { sandbox_id?: string; source_id: string; merge_adapter_config?: boolean } & UpdateSource, options?: CallOptions): Promise<Source>
  /** List the supported providers with their connection methods and settings */
  listProviders(input?: { sandbox_id?: string; as_user?: string }, options?: CallOptions): Promise<Providers>
  /** Create a project */
  createProject(input: { sandbox_id?: string } & CreateProject, options?: CallOptions): Promise<Project>
  /** List the projects of a sandbox, newest first */
  listProjects(input?: { sandbox_id?: string; status?: 'active' | 'archived'; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<ProjectPage, Project>
  /** Show a project */
  getProject(input: { sandbox_id?: string; project_id: string; as_user?: string }, options?: CallOptions): Promise<Project>
  /** Change a project */
  updateProject(input: { sandbox_id?: string; project_id: string } & UpdateProject, options?: CallOptions): Promise<Project>
  /** Archive a project */
  archiveProject(input: { sandbox_id?: string; project_id: string }, options?: CallOptions): Promise<Done>
  /** Delete a project; its sources stay */
  deleteProject(input: { sandbox_id?: string; project_id: string }, options?: CallOptions): Promise<Done>
  /** Link a source to a project */
  linkSource(input: { sandbox_id?: string; project_id: string; source_id: string }, options?: CallOptions): Promise<Done>
  /** Unlink a source from a project */
  unlinkSource(input: { sandbox_id?: string; project_id: string; source_id: string }, options?: CallOptions): Promise<Done>
  /** Ingest a text */
  ingest(input: { sandbox_id?: string } & IngestText, options?: CallOptions): Promise<Accepted | Job>
  /** Ingest a text into your primary sandbox */
  ingestPrimary(input: IngestText, options?: CallOptions): Promise<Accepted | Job>
  /** Show the state of a job */
  getJob(input: { sandbox_id?: string; job_id: string; as_user?: string }, options?: CallOptions): Promise<Job>
  /** List the jobs of a sandbox, newest first */
  listJobs(input?: { sandbox_id?: string; status?: 'queued' | 'processing' | 'completed' | 'failed' | 'cancelled'; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<JobPage, Job>
  /** Add, replace or remove records of a source */
  putRecords(input: { sandbox_id?: string; source_id: string; records: Several<RecordInput> }, options?: CallOptions): Promise<Accepted | Job>
  /** Ingest messages of a conversation */
  putMessages(input: { sandbox_id?: string } & SessionMessages, options?: CallOptions): Promise<Accepted | Job>
  /** Import an export of Cairn or of another product */
  importKnowledge(input: { sandbox_id?: string; format?: 'cairn' | 'chatgpt' | 'claude' | 'letta' | 'mem0' | 'graphiti' | 'cognee' | 'slack' | 'mbox' | 'documents' | 'markdown'; data_source_id?: string; source_name?: string; sync?: boolean; project_id?: string; path?: string; content: Content; content_type?: string }, options?: CallOptions): Promise<Accepted | Job>
  /** Deliver an event from a source’s provider */
  receiveDelivery(input: { slug: string; content: Content; content_type?: string }, options?: CallOptions): Promise<DeliveryAnswer>
  /** List entities */
  listEntities(input?: { sandbox_id?: string; type?: string; q?: string; sort?: 'newest' | 'records' | 'name'; project_id?: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<EntityPage, EntitySummary>
  /** Find entities by a name or an identifier, best first */
  searchEntities(input: { sandbox_id?: string; q: string; limit?: number; min_similarity?: number; project_id?: string; as_user?: string }, options?: CallOptions): Promise<EntityHits>
  /** Show an entity */
  getEntity(input: { sandbox_id?: string; canonical_id: string; project_id?: string; as_user?: string }, options?: CallOptions): Promise<Entity>
  /** Merge two entities */
  mergeEntities(input: { sandbox_id?: string; canonical_id: string } & {
    /** The entity that remains. The id of a merged entity refers to the one that it became part of. */
    into: string
  }, options?: CallOptions): Promise<EntityDecision>
  /** Move names and identifiers of an entity to a new entity */
  splitEntity(input: { sandbox_id?: string; canonical_id: string } & {
    /** Names or identifiers as shown by the entity. */
    keys: string[]
  }, options?: CallOptions): Promise<EntityDecision>
  /** Undo a merge */
  undoMerge(input: { sandbox_id?: string; canonical_id: string; merge_id: string }, options?: CallOptions): Promise<EntityDecision>
  /** Show the neighborhood of an entity */
  listNeighbours(input: { sandbox_id?: string; canonical_id: string; depth?: number; limit?: number; project_id?: string; as_user?: string }, options?: CallOptions): Promise<Neighbourhood>
  /** Summarize an entity in a few lines */
  getEntityProfile(input: { sandbox_id?: string; canonical_id: string; max_tokens?: number; project_id?: string; as_user?: string }, options?: CallOptions): Promise<EntityProfile>
  /** Show an overview: kinds of records, sources, main entities and topics */
  getOverview(input?: { sandbox_id?: string; project_id?: string; as_user?: string }, options?: CallOptions): Promise<Overview>
  /** List what was added, changed, removed and merged, in commit order */
  listChanges(input?: { sandbox_id?: string; since?: string; types?: string; limit?: number; project_id?: string; as_user?: string }, options?: CallOptions): Paged<ChangePage, Change>
  /** List pairs of entities that may be the same, newest first */
  listMergeSuggestions(input?: { sandbox_id?: string; state?: 'open' | 'accepted' | 'dismissed'; min_likelihood?: number; project_id?: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<MergeSuggestionPage, MergeSuggestion>
  /** Accept a suggestion: merge its two entities */
  acceptMergeSuggestion(input: { sandbox_id?: string; suggestion_id: string }, options?: CallOptions): Promise<SuggestionDecision>
  /** Dismiss a suggestion: keep its two entities separate */
  dismissMergeSuggestion(input: { sandbox_id?: string; suggestion_id: string }, options?: CallOptions): Promise<SuggestionDecision>
  /** List records by the time of their content, latest first */
  listRecords(input?: { sandbox_id?: string; type?: string; source_id?: string; project_id?: string; since?: string; until?: string; phase?: 'open' | 'doing' | 'done' | 'dropped'; owner?: string; due?: string; kind?: string; q?: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<RecordPage, RecordSummary>
  /** Show a record */
  getRecord(input: { sandbox_id?: string; record_id: string; as_user?: string }, options?: CallOptions): Promise<KnowledgeRecord>
  /** Download the file that a record was read from */
  downloadOriginal(input: { sandbox_id?: string; record_id: string; as_user?: string }, options?: CallOptions): Promise<Blob>
  /** Export everything as NDJSON */
  exportKnowledge(input?: { sandbox_id?: string; as_user?: string }, options?: CallOptions): Lines<Record<string, unknown>>
  /** Delete a record */
  deleteRecord(input: { sandbox_id?: string; record_id: string }, options?: CallOptions): Promise<Done>
  /** Find the items that a question is about, best first */
  discover(input: { sandbox_id?: string; as_user?: string } & Discover, options?: CallOptions): Promise<Discovery>
  /** Summarize pinned items in a brief with citations */
  interpret(input: { sandbox_id?: string } & Interpret, options?: CallOptions): Promise<Interpretation>
  /** Streams the answer: Summarize pinned items in a brief with citations */
  streamInterpret(input: { sandbox_id?: string } & Interpret, options?: CallOptions): AnswerStream<Interpretation>
  /** Answer a question: discover and interpret in one call */
  search(input: { sandbox_id?: string; as_user?: string } & Search, options?: CallOptions): Promise<SearchAnswer>
  /** Streams the answer: Answer a question: discover and interpret in one call */
  streamSearch(input: { sandbox_id?: string; as_user?: string } & Search, options?: CallOptions): AnswerStream<SearchAnswer>
  /** Get the best passages for a question, up to a token limit */
  gatherContext(input?: { sandbox_id?: string } & GatherContext, options?: CallOptions): Promise<GatheredContext>
  /** Find the files and records of canonical ids */
  listOrigins(input: { sandbox_id?: string } & ListOrigins, options?: CallOptions): Promise<Origins>
  /** List your stored answers, newest first */
  listAnswers(input?: { sandbox_id?: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<AnswerPage, AnswerSummary>
  /** Read a stored answer */
  getAnswer(input: { sandbox_id?: string; answer_id: string; as_user?: string }, options?: CallOptions): Promise<StoredAnswer>
  /** Delete your stored answer and the feedback on it */
  deleteAnswer(input: { sandbox_id?: string; answer_id: string }, options?: CallOptions): Promise<Done>
  /** Say whether an answer is right */
  giveFeedback(input: { sandbox_id?: string; answer_id: string } & GiveFeedback, options?: CallOptions): Promise<Feedback>
  /** List feedback with its question and what was retrieved, newest first */
  listFeedback(input?: { sandbox_id?: string; verdict?: 'right' | 'partly' | 'wrong'; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<FeedbackPage, FeedbackEntry>
  /** Export the questions whose answers were partly right or wrong, as CSV */
  exportQuestions(input?: { sandbox_id?: string; as_user?: string }, options?: CallOptions): Promise<string>
  /** Let members of the account read your answer */
  shareAnswer(input: { sandbox_id?: string; answer_id: string }, options?: CallOptions): Promise<Done>
  /** Stop sharing your answer */
  unshareAnswer(input: { sandbox_id?: string; answer_id: string }, options?: CallOptions): Promise<Done>
  /** Ask many questions in the background and grade the answers */
  evaluate(input: { sandbox_id?: string } & Evaluate, options?: CallOptions): Promise<Accepted>
  /** List your evaluations, newest first */
  listEvaluations(input?: { sandbox_id?: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<EvaluationPage, EvaluationSummary>
  /** Show an evaluation with every question, answer and grade */
  getEvaluation(input: { sandbox_id?: string; evaluation_id: string; as_user?: string }, options?: CallOptions): Promise<Evaluation>
  /** Stop and delete an evaluation with its questions and answers */
  deleteEvaluation(input: { sandbox_id?: string; evaluation_id: string }, options?: CallOptions): Promise<Done>
  /** Show the usage of your account */
  getUsage(input?: { from?: string; to?: string }, options?: CallOptions): Promise<AccountUsage>
  /** Show the model costs of your account */
  getUsageBalance(input?: Nothing, options?: CallOptions): Promise<UsageBalance>
  /** Share a sandbox, or one project of it, with an account, a member or a group */
  createConnection(input: { sandbox_id?: string } & CreateConnection, options?: CallOptions): Promise<Connection>
  /** List whom a sandbox is shared with, newest first */
  listConnections(input?: { sandbox_id?: string; include_revoked?: boolean; as_user?: string }, options?: CallOptions): Promise<Connection[]>
  /** Revoke a connection and all its keys */
  revokeConnection(input: { sandbox_id?: string; connection_id: string }, options?: CallOptions): Promise<Done>
  /** Create a key for a connection */
  createConnectionKey(input: { sandbox_id?: string; connection_id: string }, options?: CallOptions): Promise<ConnectionKey>
  /** Show the audit log of a sandbox, newest first */
  listAudit(input?: { sandbox_id?: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<AuditPage, AuditEvent>
  /** Create an account and its first API key */
  createAccount(input?: CreateAccount, options?: CallOptions): Promise<CreatedAccount>
  /** List the accounts, newest first */
  listAccounts(input?: { status?: 'active' | 'suspended'; limit?: number; cursor?: string }, options?: CallOptions): Paged<AccountPage, Account>
  /** Create another API key for an account */
  createAccountKey(input: { user_id: string } & CreateAccountKey, options?: CallOptions): Promise<CreatedAccountKey>
  /** Suspend an account */
  suspendAccount(input: { user_id: string }, options?: CallOptions): Promise<Done>
  /** Reactivate a suspended account */
  reactivateAccount(input: { user_id: string }, options?: CallOptions): Promise<Done>
  /** Erase an account and all its data */
  deleteAccount(input: { user_id: string }, options?: CallOptions): Promise<Done>
  /** Set the tier of a sandbox */
  updateSandboxTier(input: { sandbox_id: string } & SetTier, options?: CallOptions): Promise<Sandbox>
  /** Show an audit log, including that of erased sandboxes and accounts, newest first */
  listAuditChain(input: { chain: string; limit?: number; cursor?: string }, options?: CallOptions): Paged<AuditPage, AuditEvent>
  /** Create a link that signs in to the console */
  createConsoleCode(input?: Nothing, options?: CallOptions): Promise<ConsoleCode>
  /** Create a link that signs an account in to the console */
  createAccountConsoleCode(input: { user_id: string }, options?: CallOptions): Promise<ConsoleCode>
  /** Exchange a code for an API key or a session cookie */
  signInToConsole(input: ConsoleSignIn, options?: CallOptions): Promise<ConsoleSignedIn>
  /** List the members of your account, newest first */
  listMembers(input?: { limit?: number; cursor?: string }, options?: CallOptions): Paged<MemberPage, Member>
  /** Change a member’s role, suspend or reactivate a member */
  updateMember(input: { member_id: string } & UpdateMember, options?: CallOptions): Promise<Member>
  /** Remove a member */
  removeMember(input: { member_id: string }, options?: CallOptions): Promise<Done>
  /** Create a link that signs a member in, for a service without an identity provider */
  createMemberCode(input: { member_id: string }, options?: CallOptions): Promise<ConsoleCode>
  /** Invite a person to your account */
  createInvitation(input: CreateInvitation, options?: CallOptions): Promise<CreatedInvitation>
  /** List invitations, newest first */
  listInvitations(input?: { limit?: number; cursor?: string }, options?: CallOptions): Paged<InvitationPage, Invitation>
  /** Withdraw an invitation */
  deleteInvitation(input: { invitation_id: string }, options?: CallOptions): Promise<Done>
  /** List the groups of your account, newest first */
  listGroups(input?: { limit?: number; cursor?: string }, options?: CallOptions): Paged<GroupPage, Group>
  /** Create a group of members */
  createGroup(input: CreateGroup, options?: CallOptions): Promise<Group>
  /** Rename a group, or replace its members or its claim */
  updateGroup(input: { group_id: string } & UpdateGroup, options?: CallOptions): Promise<Group>
  /** Delete a group and the grants that name it */
  deleteGroup(input: { group_id: string }, options?: CallOptions): Promise<Done>
  /** List the roles that values of the groups claim give */
  listGroupRoles(input?: { limit?: number; cursor?: string }, options?: CallOptions): Paged<GroupRolePage, GroupRole>
  /** Set the role that a value of the groups claim gives */
  putGroupRole(input: PutGroupRole, options?: CallOptions): Promise<GroupRole>
  /** Remove the role that a value of the groups claim gives */
  deleteGroupRole(input: { group_role_id: string }, options?: CallOptions): Promise<Done>
  /** Redirect a browser to the identity provider */
  beginSignIn(input?: { invitation?: string; account?: string }, options?: CallOptions): Promise<string>
  /** Receive the browser from the identity provider */
  receiveSignIn(input?: { state?: string; code?: string; iss?: string; error?: string }, options?: CallOptions): Promise<string>
  /** End the sessions that the identity provider names */
  receiveBackchannelLogout(input: { content: Content; content_type?: string }, options?: CallOptions): Promise<Done>
  /** Join an account by an invitation if no identity provider is configured */
  acceptInvitation(input: AcceptInvitation, options?: CallOptions): Promise<SignedIn>
  /** Show who you are and when your session ends */
  getSession(input?: Nothing, options?: CallOptions): Promise<Session>
  /** End your session */
  signOut(input?: Nothing, options?: CallOptions): Promise<Done>
  /** End all your sessions, in every browser */
  endSessions(input?: Nothing, options?: CallOptions): Promise<Done>
  /** Suspend a sandbox */
  suspendSandbox(input: { sandbox_id: string }, options?: CallOptions): Promise<Done>
  /** Reactivate a suspended or archived sandbox */
  reactivateSandbox(input: { sandbox_id: string }, options?: CallOptions): Promise<Done>
  /** Archive a sandbox */
  archiveSandbox(input: { sandbox_id: string }, options?: CallOptions): Promise<Done>
  /** Change a sandbox’s customer-managed key */
  rotateSandboxKey(input: { sandbox_id: string }, options?: CallOptions): Promise<Done>
  /** Erase all sandboxes of one of your end users */
  deleteOwner(input: EraseOwner, options?: CallOptions): Promise<ErasedOwner>
  /** Pause a source */
  pauseSource(input: { sandbox_id?: string; source_id: string }, options?: CallOptions): Promise<Done>
  /** Reactivate a paused, failing or archived source */
  resumeSource(input: { sandbox_id?: string; source_id: string }, options?: CallOptions): Promise<Done>
  /** Disconnect a source permanently */
  disconnectSource(input: { sandbox_id?: string; source_id: string }, options?: CallOptions): Promise<Done>
  /** Give a realtime source a new webhook secret */
  rotateWebhookSecret(input: { sandbox_id?: string; source_id: string } & RotateSecret, options?: CallOptions): Promise<Source>
  /** Pull new data from the provider now */
  pullSource(input: { sandbox_id?: string; source_id: string } & PullSource, options?: CallOptions): Promise<PulledSource>
  /** Erase everything that a source delivered */
  purgeSource(input: { sandbox_id?: string; source_id: string } & PurgeSource, options?: CallOptions): Promise<PurgedSource>
  /** Remove a source’s registration but keep its data */
  deleteSource(input: { sandbox_id?: string; source_id: string }, options?: CallOptions): Promise<Done>
  /** List the runs of a source, newest first */
  listRuns(input: { sandbox_id?: string; source_id: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<RunPage, SourceRun>
  /** List the files of an import with their state */
  listRunFiles(input: { sandbox_id?: string; source_id: string; job_id: string; unread?: boolean; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<RunFilePage, ImportedFile>
  /** List the deliveries to a source’s webhook with their state, newest first */
  listDeliveries(input: { sandbox_id?: string; source_id: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<DeliveryPage, SourceDelivery>
  /** Register an MCP tool server */
  createUserMcp(input: { sandbox_id?: string } & RegisterUserMcp, options?: CallOptions): Promise<Outcome>
  /** Change a tool server or its credential */
  updateUserMcp(input: { sandbox_id?: string; source_id: string } & UpdateUserMcp, options?: CallOptions): Promise<Outcome>
  /** Check a tool server now */
  testUserMcp(input: { sandbox_id?: string; source_id: string }, options?: CallOptions): Promise<Outcome>
  /** Start the consent of a source with auth_kind oauth */
  authorizeUserMcp(input: { sandbox_id?: string; source_id: string } & StartAuthorization, options?: CallOptions): Promise<Outcome>
  /** Complete a consent with its confirmation code or callback URL */
  completeUserMcpAuthorization(input: { sandbox_id?: string; source_id: string } & CompleteAuthorization, options?: CallOptions): Promise<Outcome>
  /** Delete the credentials of a tool server and disconnect it permanently */
  revokeUserMcp(input: { sandbox_id?: string; source_id: string }, options?: CallOptions): Promise<Outcome>
  /** Receive the browser from an authorization server */
  receiveOAuthCallback(input?: { state?: string; code?: string; iss?: string; error?: string }, options?: CallOptions): Promise<string>
  /** Receive the browser from an authorization server that does not name itself */
  receiveOAuthIssuerCallback(input: { issuer_tag: string; state?: string; code?: string; iss?: string; error?: string }, options?: CallOptions): Promise<string>
  /** Describe this service as an OAuth client */
  getOAuthClient(input?: Nothing, options?: CallOptions): Promise<{
    /** The address of this document. */
    client_id: string
    client_name: string
    client_uri: string
    redirect_uris: string[]
    grant_types: string[]
    response_types: string[]
    token_endpoint_auth_method: string
    application_type: string
  }>
  /** Register Linear, which is read through its tool server */
  createTracker(input: { sandbox_id?: string } & RegisterTracker, options?: CallOptions): Promise<TrackerOutcome>
  /** Create a webhook that receives changes */
  createWebhook(input: { sandbox_id?: string } & CreateWebhook, options?: CallOptions): Promise<SecretWebhook>
  /** List the webhooks of a sandbox, newest first */
  listWebhooks(input?: { sandbox_id?: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<WebhookPage, Webhook>
  /** Change, pause or reactivate a webhook */
  updateWebhook(input: { sandbox_id?: string; webhook_id: string } & UpdateWebhook, options?: CallOptions): Promise<Webhook>
  /** Delete a webhook with its secret and deliveries */
  deleteWebhook(input: { sandbox_id?: string; webhook_id: string }, options?: CallOptions): Promise<Done>
  /** Rotate the signing secret of a webhook */
  rotateSigningSecret(input: { sandbox_id?: string; webhook_id: string } & RotateSigningSecret, options?: CallOptions): Promise<SecretWebhook>
  /** Send a test message of type `webhook.test` to a webhook now */
  testWebhook(input: { sandbox_id?: string; webhook_id: string }, options?: CallOptions): Promise<WebhookDelivery>
  /** List the deliveries of a webhook, newest first */
  listWebhookDeliveries(input: { sandbox_id?: string; webhook_id: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<WebhookDeliveryPage, WebhookDelivery>
  /** Use a sandbox over the Model Context Protocol */
  sendMcpMessage(input: { sandbox_id?: string; project?: string; tools?: 'read' | 'live' } & McpMessage, options?: CallOptions): Promise<Record<string, unknown>>
  /** Use your primary sandbox over the Model Context Protocol */
  sendMcpMessagePrimary(input: { project?: string; tools?: 'read' | 'live' } & McpMessage, options?: CallOptions): Promise<Record<string, unknown>>
  /** Check if the process is running */
  getHealth(input?: Nothing, options?: CallOptions): Promise<Health>
  /** Check if the service accepts requests */
  getReadiness(input?: Nothing, options?: CallOptions): Promise<Health>
  /** Metrics for Prometheus */
  getMetrics(input?: Nothing, options?: CallOptions): Promise<string>
  /** This document */
  getOpenApi(input?: Nothing, options?: CallOptions): Promise<Record<string, unknown>>
  /** This document as a web page */
  getReference(input?: Nothing, options?: CallOptions): Promise<string>
  /** Where tokens for the MCP endpoint of a sandbox come from (RFC 9728) */
  getMcpMetadata(input?: { sandbox_id?: string }, options?: CallOptions): Promise<ProtectedResource>
  /** Where tokens for the MCP endpoint of a primary sandbox come from (RFC 9728) */
  getMcpMetadataPrimary(input?: Nothing, options?: CallOptions): Promise<ProtectedResource>
}

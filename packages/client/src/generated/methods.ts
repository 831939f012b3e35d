// Made by `npm run clients` of the contract. A test compares it.
import type { Content, Lines, Nothing, Several } from '../content.ts'
import type { Paged } from '../paged.ts'
import type { CallOptions } from '../request.ts'
import type { Told } from '../told.ts'
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
  ContextAsked,
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
  McpMessage,
  Member,
  MemberPage,
  MergeSuggestion,
  MergeSuggestionPage,
  Neighbourhood,
  Origins,
  OriginsAsked,
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
  /** Make an API key */
  createApiKey(asked: CreateApiKey, options?: CallOptions): Promise<CreatedApiKey>
  /** List your API keys, newest first */
  listApiKeys(asked?: Nothing, options?: CallOptions): Promise<ApiKey[]>
  /** Revoke an API key */
  revokeApiKey(asked: { key_id: string }, options?: CallOptions): Promise<RevokedApiKey>
  /** Show your account */
  getProfile(asked?: Nothing, options?: CallOptions): Promise<Profile>
  /** Change your account’s name, primary sandbox or default project */
  updateProfile(asked?: UpdateProfile, options?: CallOptions): Promise<Profile>
  /** Create a sandbox */
  createSandbox(asked: Omit<CreateSandbox, 'owner_id'> & { owner_id?: string }, options?: CallOptions): Promise<Sandbox>
  /** List the sandboxes you own or reach through a grant, newest first */
  listSandboxes(asked?: { status?: 'active' | 'suspended' | 'archived'; owner_id?: string; limit?: number; cursor?: string }, options?: CallOptions): Paged<SandboxPage, Sandbox>
  /** Show a sandbox */
  getSandbox(asked: { sandbox_id: string; as_user?: string }, options?: CallOptions): Promise<Sandbox>
  /** Show how much of its limits a sandbox uses */
  getSandboxUsage(asked: { sandbox_id: string; as_user?: string }, options?: CallOptions): Promise<Usage>
  /** Rename a sandbox, replace its metadata or the access key of its own bucket */
  updateSandbox(asked: { sandbox_id: string } & UpdateSandbox, options?: CallOptions): Promise<Sandbox>
  /** Delete a sandbox and everything in it */
  deleteSandbox(asked: { sandbox_id: string }, options?: CallOptions): Promise<DeletedSandbox>
  /** Register a source */
  createSource(asked: { sandbox_id?: string } & RegisterSource, options?: CallOptions): Promise<Source>
  /** List the sources of a sandbox, newest first */
  listSources(asked?: { sandbox_id?: string; provider?: string; status?: 'active' | 'paused' | 'disconnected' | 'error' | 'archived'; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<SourcePage, Source>
  /** Show a source */
  getSource(asked: { sandbox_id?: string; source_id: string; as_user?: string }, options?: CallOptions): Promise<Source>
  /** Change a source */
  updateSource(asked: { sandbox_id?: string; source_id: string; merge_adapter_config?: boolean } & UpdateSource, options?: CallOptions): Promise<Source>
  /** List what can be connected, how, and what can be set */
  listProviders(asked?: { sandbox_id?: string; as_user?: string }, options?: CallOptions): Promise<Providers>
  /** Create a project */
  createProject(asked: { sandbox_id?: string } & CreateProject, options?: CallOptions): Promise<Project>
  /** List the projects of a sandbox, newest first */
  listProjects(asked?: { sandbox_id?: string; status?: 'active' | 'archived'; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<ProjectPage, Project>
  /** Show a project */
  getProject(asked: { sandbox_id?: string; project_id: string; as_user?: string }, options?: CallOptions): Promise<Project>
  /** Change a project */
  updateProject(asked: { sandbox_id?: string; project_id: string } & UpdateProject, options?: CallOptions): Promise<Project>
  /** Archive a project */
  archiveProject(asked: { sandbox_id?: string; project_id: string }, options?: CallOptions): Promise<Done>
  /** Delete a project; its sources stay */
  deleteProject(asked: { sandbox_id?: string; project_id: string }, options?: CallOptions): Promise<Done>
  /** Link a source to a project */
  linkSource(asked: { sandbox_id?: string; project_id: string; source_id: string }, options?: CallOptions): Promise<Done>
  /** Take a source out of a project */
  unlinkSource(asked: { sandbox_id?: string; project_id: string; source_id: string }, options?: CallOptions): Promise<Done>
  /** Take in a piece of text */
  ingest(asked: { sandbox_id?: string } & IngestText, options?: CallOptions): Promise<Accepted | Job>
  /** Take in a piece of text into your primary sandbox */
  ingestPrimary(asked: IngestText, options?: CallOptions): Promise<Accepted | Job>
  /** Show how far a job is */
  getJob(asked: { sandbox_id?: string; job_id: string; as_user?: string }, options?: CallOptions): Promise<Job>
  /** List the jobs of a sandbox, newest first */
  listJobs(asked?: { sandbox_id?: string; status?: 'queued' | 'processing' | 'completed' | 'failed' | 'cancelled'; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<JobPage, Job>
  /** Add, replace or remove records of a source */
  putRecords(asked: { sandbox_id?: string; source_id: string; records: Several<RecordInput> }, options?: CallOptions): Promise<Accepted | Job>
  /** Take in messages of a conversation */
  putMessages(asked: { sandbox_id?: string } & SessionMessages, options?: CallOptions): Promise<Accepted | Job>
  /** Bring in an export of Cairn or of another product */
  importKnowledge(asked: { sandbox_id?: string; format?: 'cairn' | 'chatgpt' | 'claude' | 'letta' | 'mem0' | 'graphiti' | 'cognee' | 'slack' | 'mbox' | 'documents' | 'markdown'; data_source_id?: string; source_name?: string; sync?: boolean; project_id?: string; path?: string; content: Content; content_type?: string }, options?: CallOptions): Promise<Accepted | Job>
  /** Deliver an event of a source’s provider */
  receiveDelivery(asked: { slug: string; content: Content; content_type?: string }, options?: CallOptions): Promise<DeliveryAnswer>
  /** List entities */
  listEntities(asked?: { sandbox_id?: string; type?: string; q?: string; sort?: 'newest' | 'records' | 'name'; project_id?: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<EntityPage, EntitySummary>
  /** Find entities by a name or an identifier, best first */
  searchEntities(asked: { sandbox_id?: string; q: string; limit?: number; min_similarity?: number; project_id?: string; as_user?: string }, options?: CallOptions): Promise<EntityHits>
  /** Show an entity */
  getEntity(asked: { sandbox_id?: string; canonical_id: string; project_id?: string; as_user?: string }, options?: CallOptions): Promise<Entity>
  /** Make two entities one */
  mergeEntities(asked: { sandbox_id?: string; canonical_id: string } & {
    /** The entity that remains; an id that was merged away stands for what it became. */
    into: string
  }, options?: CallOptions): Promise<EntityDecision>
  /** Take names and identifiers of an entity to a new one */
  splitEntity(asked: { sandbox_id?: string; canonical_id: string } & {
    /** Names or identifiers as the entity shows them. */
    keys: string[]
  }, options?: CallOptions): Promise<EntityDecision>
  /** Take back a merge */
  undoMerge(asked: { sandbox_id?: string; canonical_id: string; merge_id: string }, options?: CallOptions): Promise<EntityDecision>
  /** Show the entities around one, and what joins them */
  listNeighbours(asked: { sandbox_id?: string; canonical_id: string; depth?: number; limit?: number; project_id?: string; as_user?: string }, options?: CallOptions): Promise<Neighbourhood>
  /** Tell in a few lines what is known of an entity */
  getEntityProfile(asked: { sandbox_id?: string; canonical_id: string; max_tokens?: number; project_id?: string; as_user?: string }, options?: CallOptions): Promise<EntityProfile>
  /** Tell what is known: of which kinds, from where, of whom and what */
  getOverview(asked?: { sandbox_id?: string; project_id?: string; as_user?: string }, options?: CallOptions): Promise<Overview>
  /** Tell what was added, changed, removed and merged, in the order of commits */
  listChanges(asked?: { sandbox_id?: string; since?: string; types?: string; limit?: number; project_id?: string; as_user?: string }, options?: CallOptions): Paged<ChangePage, Change>
  /** List pairs of entities that may be one, the newest first */
  listMergeSuggestions(asked?: { sandbox_id?: string; state?: 'open' | 'accepted' | 'dismissed'; min_likelihood?: number; project_id?: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<MergeSuggestionPage, MergeSuggestion>
  /** Make the two entities of a suggestion one */
  acceptMergeSuggestion(asked: { sandbox_id?: string; suggestion_id: string }, options?: CallOptions): Promise<SuggestionDecision>
  /** Say that the two entities of a suggestion are two */
  dismissMergeSuggestion(asked: { sandbox_id?: string; suggestion_id: string }, options?: CallOptions): Promise<SuggestionDecision>
  /** List records, the latest first by when they happened */
  listRecords(asked?: { sandbox_id?: string; type?: string; source_id?: string; project_id?: string; since?: string; until?: string; phase?: 'open' | 'doing' | 'done' | 'dropped'; owner?: string; due?: string; kind?: string; q?: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<RecordPage, RecordSummary>
  /** Show a record */
  getRecord(asked: { sandbox_id?: string; record_id: string; as_user?: string }, options?: CallOptions): Promise<KnowledgeRecord>
  /** Export everything as NDJSON */
  exportKnowledge(asked?: { sandbox_id?: string; as_user?: string }, options?: CallOptions): Lines<Record<string, unknown>>
  /** Delete a record */
  deleteRecord(asked: { sandbox_id?: string; record_id: string }, options?: CallOptions): Promise<Done>
  /** Find the items that a question is about, best first */
  discover(asked: { sandbox_id?: string; as_user?: string } & Discover, options?: CallOptions): Promise<Discovery>
  /** Summarise pinned items in a brief with citations */
  interpret(asked: { sandbox_id?: string } & Interpret, options?: CallOptions): Promise<Interpretation>
  /** The same, told in pieces as it is made: Summarise pinned items in a brief with citations */
  streamInterpret(asked: { sandbox_id?: string } & Interpret, options?: CallOptions): Told<Interpretation>
  /** Answer a question: discover and brief in one go */
  search(asked: { sandbox_id?: string; as_user?: string } & Search, options?: CallOptions): Promise<SearchAnswer>
  /** The same, told in pieces as it is made: Answer a question: discover and brief in one go */
  streamSearch(asked: { sandbox_id?: string; as_user?: string } & Search, options?: CallOptions): Told<SearchAnswer>
  /** Gather the best passages for a question, packed to a budget of tokens */
  gatherContext(asked?: { sandbox_id?: string } & ContextAsked, options?: CallOptions): Promise<GatheredContext>
  /** Tell which files and records canonical ids come from */
  listOrigins(asked: { sandbox_id?: string } & OriginsAsked, options?: CallOptions): Promise<Origins>
  /** List your stored answers, newest first */
  listAnswers(asked?: { sandbox_id?: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<AnswerPage, AnswerSummary>
  /** Read a stored answer */
  getAnswer(asked: { sandbox_id?: string; answer_id: string; as_user?: string }, options?: CallOptions): Promise<StoredAnswer>
  /** Delete your stored answer and the feedback on it */
  deleteAnswer(asked: { sandbox_id?: string; answer_id: string }, options?: CallOptions): Promise<Done>
  /** Say whether an answer is right */
  giveFeedback(asked: { sandbox_id?: string; answer_id: string } & GiveFeedback, options?: CallOptions): Promise<Feedback>
  /** List feedback with its question and what was retrieved, newest first */
  listFeedback(asked?: { sandbox_id?: string; verdict?: 'right' | 'partly' | 'wrong'; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<FeedbackPage, FeedbackEntry>
  /** Export the questions whose answers were partly right or wrong, as CSV */
  exportQuestions(asked?: { sandbox_id?: string; as_user?: string }, options?: CallOptions): Promise<string>
  /** Let members of the account read your answer */
  shareAnswer(asked: { sandbox_id?: string; answer_id: string }, options?: CallOptions): Promise<Done>
  /** Stop sharing your answer */
  unshareAnswer(asked: { sandbox_id?: string; answer_id: string }, options?: CallOptions): Promise<Done>
  /** Ask many questions in the background and grade the answers */
  evaluate(asked: { sandbox_id?: string } & Evaluate, options?: CallOptions): Promise<Accepted>
  /** List your evaluations, newest first */
  listEvaluations(asked?: { sandbox_id?: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<EvaluationPage, EvaluationSummary>
  /** Show an evaluation with every question, answer and grade */
  getEvaluation(asked: { sandbox_id?: string; evaluation_id: string; as_user?: string }, options?: CallOptions): Promise<Evaluation>
  /** Stop and delete an evaluation with its questions and answers */
  deleteEvaluation(asked: { sandbox_id?: string; evaluation_id: string }, options?: CallOptions): Promise<Done>
  /** Show what your account has used */
  getUsage(asked?: { from?: string; to?: string }, options?: CallOptions): Promise<AccountUsage>
  /** Show what models have cost your account */
  getUsageBalance(asked?: Nothing, options?: CallOptions): Promise<UsageBalance>
  /** Share a sandbox, or one project of it, with an account, a member or a group */
  createConnection(asked: { sandbox_id?: string } & CreateConnection, options?: CallOptions): Promise<Connection>
  /** List whom a sandbox is shared with, newest first */
  listConnections(asked?: { sandbox_id?: string; include_revoked?: boolean; as_user?: string }, options?: CallOptions): Promise<Connection[]>
  /** Revoke a connection and every key of it */
  revokeConnection(asked: { sandbox_id?: string; connection_id: string }, options?: CallOptions): Promise<Done>
  /** Make a key of a connection */
  createConnectionKey(asked: { sandbox_id?: string; connection_id: string }, options?: CallOptions): Promise<ConnectionKey>
  /** Show what was done in a sandbox, newest first */
  listAudit(asked?: { sandbox_id?: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<AuditPage, AuditEvent>
  /** Make an account and its first API key */
  createAccount(asked?: CreateAccount, options?: CallOptions): Promise<CreatedAccount>
  /** List the accounts, newest first */
  listAccounts(asked?: { status?: 'active' | 'suspended'; limit?: number; cursor?: string }, options?: CallOptions): Paged<AccountPage, Account>
  /** Make another API key of an account */
  createAccountKey(asked: { user_id: string } & CreateAccountKey, options?: CallOptions): Promise<CreatedAccountKey>
  /** Suspend an account */
  suspendAccount(asked: { user_id: string }, options?: CallOptions): Promise<Done>
  /** Reactivate a suspended account */
  reactivateAccount(asked: { user_id: string }, options?: CallOptions): Promise<Done>
  /** Erase an account and everything it holds */
  deleteAccount(asked: { user_id: string }, options?: CallOptions): Promise<Done>
  /** Set the tier of a sandbox */
  updateSandboxTier(asked: { sandbox_id: string } & SetTier, options?: CallOptions): Promise<Sandbox>
  /** Show an audit log, also of what was erased, newest first */
  listAuditChain(asked: { chain: string; limit?: number; cursor?: string }, options?: CallOptions): Paged<AuditPage, AuditEvent>
  /** Make a link that signs in to the console */
  createConsoleCode(asked?: Nothing, options?: CallOptions): Promise<ConsoleCode>
  /** Make a link that signs an account in to the console */
  createAccountConsoleCode(asked: { user_id: string }, options?: CallOptions): Promise<ConsoleCode>
  /** Exchange a code for an API key or a session cookie */
  signInToConsole(asked: ConsoleSignIn, options?: CallOptions): Promise<ConsoleSignedIn>
  /** List the members of your account, newest first */
  listMembers(asked?: { limit?: number; cursor?: string }, options?: CallOptions): Paged<MemberPage, Member>
  /** Change a member’s role, suspend or reactivate a member */
  updateMember(asked: { member_id: string } & UpdateMember, options?: CallOptions): Promise<Member>
  /** Remove a member */
  removeMember(asked: { member_id: string }, options?: CallOptions): Promise<Done>
  /** Make a link that signs a member in, for a service without an identity provider */
  createMemberCode(asked: { member_id: string }, options?: CallOptions): Promise<ConsoleCode>
  /** Invite a person to your account */
  createInvitation(asked: CreateInvitation, options?: CallOptions): Promise<CreatedInvitation>
  /** List invitations, newest first */
  listInvitations(asked?: { limit?: number; cursor?: string }, options?: CallOptions): Paged<InvitationPage, Invitation>
  /** Withdraw an invitation */
  deleteInvitation(asked: { invitation_id: string }, options?: CallOptions): Promise<Done>
  /** List the groups of your account, newest first */
  listGroups(asked?: { limit?: number; cursor?: string }, options?: CallOptions): Paged<GroupPage, Group>
  /** Make a group of members */
  createGroup(asked: CreateGroup, options?: CallOptions): Promise<Group>
  /** Rename a group, or replace its members or its claim */
  updateGroup(asked: { group_id: string } & UpdateGroup, options?: CallOptions): Promise<Group>
  /** Delete a group and the grants that name it */
  deleteGroup(asked: { group_id: string }, options?: CallOptions): Promise<Done>
  /** List the roles that values of the groups claim give */
  listGroupRoles(asked?: { limit?: number; cursor?: string }, options?: CallOptions): Paged<GroupRolePage, GroupRole>
  /** Set the role that a value of the groups claim gives */
  putGroupRole(asked: PutGroupRole, options?: CallOptions): Promise<GroupRole>
  /** Remove the role that a value of the groups claim gives */
  deleteGroupRole(asked: { group_role_id: string }, options?: CallOptions): Promise<Done>
  /** Send a browser to the identity provider */
  beginSignIn(asked?: { invitation?: string; account?: string }, options?: CallOptions): Promise<string>
  /** Take the browser back from the identity provider */
  receiveSignIn(asked?: { state?: string; code?: string; iss?: string; error?: string }, options?: CallOptions): Promise<string>
  /** End the sessions that the identity provider names */
  receiveBackchannelLogout(asked: { content: Content; content_type?: string }, options?: CallOptions): Promise<Done>
  /** Join an account by an invitation, where no identity provider is configured */
  acceptInvitation(asked: AcceptInvitation, options?: CallOptions): Promise<SignedIn>
  /** Show who you are and when your session ends */
  getSession(asked?: Nothing, options?: CallOptions): Promise<Session>
  /** End your session */
  signOut(asked?: Nothing, options?: CallOptions): Promise<Done>
  /** End all your sessions, in every browser */
  endSessions(asked?: Nothing, options?: CallOptions): Promise<Done>
  /** Suspend a sandbox */
  suspendSandbox(asked: { sandbox_id: string }, options?: CallOptions): Promise<Done>
  /** Make a suspended or archived sandbox active again */
  reactivateSandbox(asked: { sandbox_id: string }, options?: CallOptions): Promise<Done>
  /** Archive a sandbox */
  archiveSandbox(asked: { sandbox_id: string }, options?: CallOptions): Promise<Done>
  /** Put a sandbox under another caller-held key */
  rotateSandboxKey(asked: { sandbox_id: string }, options?: CallOptions): Promise<Done>
  /** Erase every sandbox of one of your end-users */
  deleteOwner(asked: EraseOwner, options?: CallOptions): Promise<ErasedOwner>
  /** Pause a source */
  pauseSource(asked: { sandbox_id?: string; source_id: string }, options?: CallOptions): Promise<Done>
  /** Make a paused, failing or archived source active again */
  resumeSource(asked: { sandbox_id?: string; source_id: string }, options?: CallOptions): Promise<Done>
  /** Disconnect a source for good */
  disconnectSource(asked: { sandbox_id?: string; source_id: string }, options?: CallOptions): Promise<Done>
  /** Give a realtime source a new webhook secret */
  rotateWebhookSecret(asked: { sandbox_id?: string; source_id: string } & RotateSecret, options?: CallOptions): Promise<Source>
  /** Read what is new at the provider now */
  pullSource(asked: { sandbox_id?: string; source_id: string } & PullSource, options?: CallOptions): Promise<PulledSource>
  /** Erase everything that a source fed */
  purgeSource(asked: { sandbox_id?: string; source_id: string } & PurgeSource, options?: CallOptions): Promise<PurgedSource>
  /** Remove a source’s registration; what it fed stays */
  deleteSource(asked: { sandbox_id?: string; source_id: string }, options?: CallOptions): Promise<Done>
  /** List what a source delivered, newest first */
  listRuns(asked: { sandbox_id?: string; source_id: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<RunPage, SourceRun>
  /** List the files of an import and what became of each */
  listRunFiles(asked: { sandbox_id?: string; source_id: string; job_id: string; unread?: boolean; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<RunFilePage, ImportedFile>
  /** List what was delivered to a source’s webhook and what became of it, newest first */
  listDeliveries(asked: { sandbox_id?: string; source_id: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<DeliveryPage, SourceDelivery>
  /** Register a server of tools (MCP) */
  createUserMcp(asked: { sandbox_id?: string } & RegisterUserMcp, options?: CallOptions): Promise<Outcome>
  /** Change a server of tools, or the credential that opens it */
  updateUserMcp(asked: { sandbox_id?: string; source_id: string } & UpdateUserMcp, options?: CallOptions): Promise<Outcome>
  /** Check a server of tools now */
  testUserMcp(asked: { sandbox_id?: string; source_id: string }, options?: CallOptions): Promise<Outcome>
  /** Start the consent of a source with auth_kind oauth */
  authorizeUserMcp(asked: { sandbox_id?: string; source_id: string } & StartAuthorization, options?: CallOptions): Promise<Outcome>
  /** Complete a consent with its confirmation code or callback URL */
  completeUserMcpAuthorization(asked: { sandbox_id?: string; source_id: string } & CompleteAuthorization, options?: CallOptions): Promise<Outcome>
  /** Forget what opens a server of tools, and disconnect it for good */
  revokeUserMcp(asked: { sandbox_id?: string; source_id: string }, options?: CallOptions): Promise<Outcome>
  /** Take the browser back from an authorization server */
  receiveOAuthCallback(asked?: { state?: string; code?: string; iss?: string; error?: string }, options?: CallOptions): Promise<string>
  /** Take the browser back from an authorization server that does not name itself */
  receiveOAuthIssuerCallback(asked: { issuer_tag: string; state?: string; code?: string; iss?: string; error?: string }, options?: CallOptions): Promise<string>
  /** Describe this service as an OAuth client */
  getOAuthClient(asked?: Nothing, options?: CallOptions): Promise<{
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
  /** Register Linear, read through its server of tools */
  createTracker(asked: { sandbox_id?: string } & RegisterTracker, options?: CallOptions): Promise<TrackerOutcome>
  /** Have what changes sent to an address */
  createWebhook(asked: { sandbox_id?: string } & CreateWebhook, options?: CallOptions): Promise<SecretWebhook>
  /** List the addresses that changes are sent to, newest first */
  listWebhooks(asked?: { sandbox_id?: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<WebhookPage, Webhook>
  /** Change an endpoint, pause it, or make it active again */
  updateWebhook(asked: { sandbox_id?: string; webhook_id: string } & UpdateWebhook, options?: CallOptions): Promise<Webhook>
  /** Send nothing there any more, and forget its secret and its deliveries */
  deleteWebhook(asked: { sandbox_id?: string; webhook_id: string }, options?: CallOptions): Promise<Done>
  /** Give an endpoint a new signing secret */
  rotateSigningSecret(asked: { sandbox_id?: string; webhook_id: string } & RotateSigningSecret, options?: CallOptions): Promise<SecretWebhook>
  /** Send an endpoint a message of the type `webhook.test` now */
  testWebhook(asked: { sandbox_id?: string; webhook_id: string }, options?: CallOptions): Promise<WebhookDelivery>
  /** List what was sent to an endpoint, newest first */
  listWebhookDeliveries(asked: { sandbox_id?: string; webhook_id: string; limit?: number; cursor?: string; as_user?: string }, options?: CallOptions): Paged<WebhookDeliveryPage, WebhookDelivery>
  /** Talk to a sandbox over the Model Context Protocol */
  sendMcpMessage(asked: { sandbox_id?: string; project?: string; tools?: 'read' | 'live' } & McpMessage, options?: CallOptions): Promise<Record<string, unknown>>
  /** Talk to your primary sandbox over the Model Context Protocol */
  sendMcpMessagePrimary(asked: { project?: string; tools?: 'read' | 'live' } & McpMessage, options?: CallOptions): Promise<Record<string, unknown>>
  /** Whether the process answers */
  getHealth(asked?: Nothing, options?: CallOptions): Promise<Health>
  /** Whether the service can take requests */
  getReadiness(asked?: Nothing, options?: CallOptions): Promise<Health>
  /** Counters and durations, for Prometheus */
  getMetrics(asked?: Nothing, options?: CallOptions): Promise<string>
  /** This document */
  getOpenApi(asked?: Nothing, options?: CallOptions): Promise<Record<string, unknown>>
  /** This document, to browse */
  getReference(asked?: Nothing, options?: CallOptions): Promise<string>
  /** Where tokens for the MCP endpoint of a sandbox come from (RFC 9728) */
  getMcpMetadata(asked?: { sandbox_id?: string }, options?: CallOptions): Promise<ProtectedResource>
  /** Where tokens for the MCP endpoint of a primary sandbox come from (RFC 9728) */
  getMcpMetadataPrimary(asked?: Nothing, options?: CallOptions): Promise<ProtectedResource>
}

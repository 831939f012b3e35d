import { ConsoleCode } from './admin.ts'
import { CHANGE, CREATE, operation, READ } from './operation.ts'
import {
  Choice,
  Done,
  Email,
  GivenId,
  listing,
  Maybe,
  Moment,
  Name,
  Nullable,
  Page,
  PathId,
  ReplyId,
  ShownOnce,
  type Static,
  Type as T,
} from './schema.ts'

/** Roles of members, most powerful first. */
export const MEMBER_ROLES = ['owner', 'admin', 'member', 'viewer'] as const
export type MemberRole = (typeof MEMBER_ROLES)[number]

export const MEMBER_STATES = ['active', 'suspended'] as const

const CLAIM_CHARS_MAX = 255
const CODE_CHARS_MAX = 128
const GROUPS_MAX = 100
const GROUP_MEMBERS_MAX = 1000

const Claim = (description: string) =>
  T.String({ minLength: 1, maxLength: CLAIM_CHARS_MAX, pattern: '^[^\\u0000-\\u001f\\u007f]+$', description })

const Role = (description: string) => Choice(MEMBER_ROLES, { description })
const ids = (description: string) => T.Array(T.String(), { description })

export const Member = T.Object({
  member_id: ReplyId('member', 'The member’s id.'),
  display_name: T.String({ description: 'The member’s display name.' }),
  email: Nullable(T.String({ description: 'The address of the invitation or of the identity provider.' })),
  role: Role(
    'Owners and admins use all sandboxes of the account, members those that they created or were granted; viewers ' +
      'read those that they were granted.',
  ),
  status: Choice(MEMBER_STATES),
  group_ids: ids('The groups that the member belongs to.'),
  issuer: Nullable(T.String({ description: 'The identity provider; null for a member who signs in by a link.' })),
  joined_at: Moment('When the member joined.'),
  last_seen_at: Maybe(Moment('When the member last signed in.')),
})
export type Member = Static<typeof Member>

export const MemberPage = Page('members', Member)
export type MemberPage = Static<typeof MemberPage>

/** Request body to update a member. An omitted field keeps its value. */
export const UpdateMember = T.Object({
  role: Maybe(Role('The new role.')),
  status: Maybe(
    Choice(MEMBER_STATES, {
      description:
        'Suspending ends the member’s sessions and the consents that the member gave to hosted servers, and stops ' +
        'keys and grants. Keys and grants work again after reactivation.',
    }),
  ),
})
export type UpdateMember = Static<typeof UpdateMember>

/** Request body to create an invitation. */
export const CreateInvitation = T.Object({
  role: Role('The role that the person joins with.'),
  email: Maybe(Email),
  groups: Maybe(T.Array(GivenId('The id of a group.'), { maxItems: GROUPS_MAX, description: 'Groups to join.' })),
})
export type CreateInvitation = Static<typeof CreateInvitation>

const invitation = {
  invitation_id: ReplyId('invitation', 'The invitation’s id.'),
  role: Role('The role that the person joins with.'),
  email: Nullable(T.String({ description: 'The address that it is for.' })),
  group_ids: ids('The groups that the person joins.'),
  created_at: Moment('When it was created.'),
  expires_at: Moment('When it expires: 7 days after its creation.'),
}

/** A new invitation with its link, which is shown only once. */
export const CreatedInvitation = T.Object({
  ...invitation,
  url: ShownOnce('The link to send to the person. It works once.'),
})
export type CreatedInvitation = Static<typeof CreatedInvitation>

export const Invitation = T.Object({
  ...invitation,
  status: Choice(['open', 'accepted', 'expired'] as const),
  accepted_by: Nullable(T.String({ description: 'The member who joined with it.' })),
})
export type Invitation = Static<typeof Invitation>

export const InvitationPage = Page('invitations', Invitation)
export type InvitationPage = Static<typeof InvitationPage>

/** Request body to accept an invitation without an identity provider. */
export const AcceptInvitation = T.Object({
  code: T.String({ minLength: 1, maxLength: CODE_CHARS_MAX, writeOnly: true, description: 'The code of the link.' }),
  display_name: Name('Your name, as the other members see it.'),
})
export type AcceptInvitation = Static<typeof AcceptInvitation>

export const Group = T.Object({
  group_id: ReplyId('group', 'The group’s id.'),
  name: T.String(),
  claim: Nullable(T.String({ description: 'The value of the groups claim whose holders belong to it.' })),
  member_ids: ids('Its members.'),
  created_at: Moment('When it was created.'),
})
export type Group = Static<typeof Group>

export const GroupPage = Page('groups', Group)
export type GroupPage = Static<typeof GroupPage>

const MemberIds = T.Array(GivenId('The id of a member.'), {
  maxItems: GROUP_MEMBERS_MAX,
  description: 'Its members. They replace those that it has.',
})
const GroupClaim = Claim(
  'A value of the groups claim. At sign-in, members with the value join the group and members without it leave.',
)

/** Request body to create a group. */
export const CreateGroup = T.Object({
  name: Name('The group’s name.'),
  claim: Maybe(GroupClaim),
  member_ids: Maybe(MemberIds),
})
export type CreateGroup = Static<typeof CreateGroup>

/** Request body to update a group. An omitted field keeps its value. */
export const UpdateGroup = T.Object({
  name: Maybe(Name('The group’s name.')),
  claim: Maybe(GroupClaim),
  member_ids: Maybe(MemberIds),
})
export type UpdateGroup = Static<typeof UpdateGroup>

/** A mapping from a value of the groups claim to a role, applied at sign-in. */
export const GroupRole = T.Object({
  group_role_id: ReplyId('groupRole', 'The id of this rule.'),
  claim: T.String({ description: 'The value of the groups claim.' }),
  role: Role('The role of members who have it. Of several the most powerful counts.'),
  created_at: Moment('When it was created.'),
})
export type GroupRole = Static<typeof GroupRole>

/** One page of mappings from claims to roles. */
export const GroupRolePage = Page('group_roles', GroupRole)
export type GroupRolePage = Static<typeof GroupRolePage>

/** Request body to map a value of the groups claim to a role. It replaces an existing mapping. */
export const PutGroupRole = T.Object({
  claim: Claim('The value of the groups claim, exactly as the identity provider sends it.'),
  role: Role('The role of members who have it.'),
})
export type PutGroupRole = Static<typeof PutGroupRole>

const tag = 'Members'
const managing = { tag, access: 'account', member: 'admin' } as const
const create = { ...CREATE, ...managing } as const
const change = { ...CHANGE, ...managing } as const
const remove = { ...change, method: 'DELETE', reply: { json: Done }, faults: ['not_found'] } as const
const members = '/api/v1/members'
const invitations = '/api/v1/invitations'
const groups = '/api/v1/groups'
const groupRoles = '/api/v1/group-roles'
const params = T.Object({ member_id: PathId('The member.', 'member') })
const groupParams = T.Object({ group_id: PathId('The group.', 'group') })

/** Operations on members, invitations and groups of an account. */
export const memberOperations = {
  listMembers: operation({
    ...READ,
    tag,
    access: 'account',
    member: 'member',
    path: members,
    summary: 'List the members of your account, newest first',
    ...listing(MemberPage),
  }),
  updateMember: operation({
    ...change,
    method: 'PATCH',
    path: `${members}/:member_id`,
    summary: 'Change a member’s role, suspend or reactivate a member',
    description: 'Only an owner changes owners and makes owners. The last active owner cannot be demoted or suspended.',
    audit: { event: 'member.updated' },
    params,
    body: { json: UpdateMember, example: { role: 'admin' } },
    reply: { json: Member },
    faults: ['not_found', 'last_owner', 'owner_only'],
  }),
  removeMember: operation({
    ...remove,
    path: `${members}/:member_id`,
    summary: 'Remove a member',
    description:
      'Ends the member’s sessions, keys, grants and stored answers within a second, and revokes the consents that ' +
      'the member gave to hosted servers: their sources need a new consent. Sandboxes and records stay.',
    audit: { event: 'member.removed' },
    params,
    faults: ['not_found', 'last_owner', 'owner_only'],
  }),
  createMemberCode: operation({
    ...change,
    path: `${members}/:member_id/console-codes`,
    summary: 'Create a link that signs a member in, for a service without an identity provider',
    audit: { event: 'member.link_made' },
    params,
    reply: { json: ConsoleCode },
    faults: ['not_found', 'owner_only', 'provider_signs_in'],
  }),
  createInvitation: operation({
    ...create,
    path: invitations,
    summary: 'Invite a person to your account',
    description: 'The link works once and for 7 days. No mail is sent: send the link yourself.',
    audit: { event: 'invitation.created' },
    body: { json: CreateInvitation, example: { role: 'member', email: 'ada@example.com' } },
    reply: { json: CreatedInvitation },
    faults: ['owner_only'],
  }),
  listInvitations: operation({
    ...READ,
    ...managing,
    path: invitations,
    summary: 'List invitations, newest first',
    ...listing(InvitationPage),
  }),
  deleteInvitation: operation({
    ...remove,
    path: `${invitations}/:invitation_id`,
    summary: 'Withdraw an invitation',
    audit: { event: 'invitation.deleted' },
    params: T.Object({ invitation_id: PathId('The invitation.', 'invitation') }),
    faults: ['not_found', 'owner_only'],
  }),
  listGroups: operation({
    ...READ,
    tag,
    access: 'account',
    member: 'member',
    path: groups,
    summary: 'List the groups of your account, newest first',
    ...listing(GroupPage),
  }),
  createGroup: operation({
    ...create,
    path: groups,
    summary: 'Create a group of members',
    audit: { event: 'group.created' },
    body: { json: CreateGroup, example: { name: 'Support' } },
    reply: { json: Group },
    faults: ['duplicate_name', 'unknown_member'],
  }),
  updateGroup: operation({
    ...change,
    method: 'PATCH',
    path: `${groups}/:group_id`,
    summary: 'Rename a group, or replace its members or its claim',
    audit: { event: 'group.updated' },
    params: groupParams,
    body: { json: UpdateGroup, example: { name: 'Support' } },
    reply: { json: Group },
    faults: ['not_found', 'duplicate_name', 'unknown_member'],
  }),
  deleteGroup: operation({
    ...remove,
    path: `${groups}/:group_id`,
    summary: 'Delete a group and the grants that name it',
    audit: { event: 'group.deleted' },
    params: groupParams,
  }),
  listGroupRoles: operation({
    ...READ,
    ...managing,
    path: groupRoles,
    summary: 'List the roles that values of the groups claim give',
    ...listing(GroupRolePage),
  }),
  putGroupRole: operation({
    ...change,
    path: groupRoles,
    summary: 'Set the role that a value of the groups claim gives',
    description:
      'Applied when a member signs in. In the account of `CAIRN_OIDC_ACCOUNT` it also lets people join who have the ' +
      'value. Settings of `CAIRN_OIDC_GROUP_ROLES` apply there in addition.',
    audit: { event: 'group_role.set' },
    body: { json: PutGroupRole, example: { claim: 'engineering', role: 'member' } },
    reply: { json: GroupRole },
    faults: ['owner_only'],
  }),
  deleteGroupRole: operation({
    ...remove,
    path: `${groupRoles}/:group_role_id`,
    summary: 'Remove the role that a value of the groups claim gives',
    audit: { event: 'group_role.deleted' },
    params: T.Object({ group_role_id: PathId('The rule.', 'groupRole') }),
    faults: ['not_found', 'owner_only'],
  }),
}

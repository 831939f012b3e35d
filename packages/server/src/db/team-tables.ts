import type { Generated } from 'kysely'

/** Tables for members, their sign-in and their groups. */
export interface TeamTables {
  member: MemberTable
  member_identity: MemberIdentityTable
  session: SessionTable
  used_code: UsedCodeTable
  used_state: UsedStateTable
  invitation: InvitationTable
  team_group: TeamGroupTable
  team_group_member: TeamGroupMemberTable
  group_role: GroupRoleTable
}

/** A person of an account. Grants, answers and feedback refer to the row of `account` with the same id. */
interface MemberTable {
  user_id: string
  id: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  status: Generated<'active' | 'suspended'>
  display_name: string
  email: string | null
  /** True if a value of the groups claim gave the role. Without that value the role is revoked. */
  role_from_claim: Generated<boolean>
  created_by: string
  created_at: Date
  last_seen_at: Date | null
}

/** The identity of a member at an identity provider. */
interface MemberIdentityTable {
  user_id: string
  /** The SHA-256 of issuer and subject. */
  identity_hash: Buffer
  member_id: string
  issuer: string
  subject: string
  created_at: Date
  signed_in_at: Date
}

/** A signed-in browser. Without a member it acts as the account. */
interface SessionTable {
  user_id: string
  id: string
  token_hash: Buffer
  member_id: string | null
  identity_hash: Buffer | null
  provider_session_hash: Buffer | null
  created_at: Date
  last_used_at: Date
  expires_at: Date
}

/** A used link code, which cannot be exchanged for a session again. */
interface UsedCodeTable {
  user_id: string
  id: string
  expires_at: Date
}

/** A used `state` parameter of a sign-in, which cannot be used again. */
interface UsedStateTable {
  state_hash: Buffer
  expires_at: Date
}

interface InvitationTable {
  user_id: string
  id: string
  code_hash: Buffer
  role: 'owner' | 'admin' | 'member' | 'viewer'
  email: string | null
  /** Ids of groups, separated by spaces. */
  group_ids: Generated<string>
  created_by: string
  created_at: Date
  expires_at: Date
  accepted_at: Date | null
  accepted_by: string | null
}

/** A group of members. With a claim, it consists of those whose identity provider sends that value. */
interface TeamGroupTable {
  user_id: string
  id: string
  name: string
  claim: string | null
  created_at: Date
}

interface TeamGroupMemberTable {
  user_id: string
  group_id: string
  member_id: string
}

/** The role of members whose groups claim has this value. */
interface GroupRoleTable {
  user_id: string
  id: string
  claim: string
  role: 'owner' | 'admin' | 'member' | 'viewer'
  created_at: Date
}

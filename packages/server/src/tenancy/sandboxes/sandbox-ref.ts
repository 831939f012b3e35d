/** Which sandbox, under which tenant. */
export interface SandboxRef {
  userId: string
  sandboxId: string
}

import type { providerOperations, sourceOperations } from '@cairn/contract'
import { Fault } from '../../base/fault.ts'
import { sourcesIn } from '../../tenancy/sources/source-rows.ts'
import type { Handlers } from '../context.ts'
import { listProviders } from './list-providers.ts'
import { listSources } from './list-sources.ts'
import { registerSource } from './register-source.ts'
import { wireSource } from './store.ts'
import { updateSource } from './update-source.ts'

/** Answers the operations on sources and on what can be one. */
export const handlers: Handlers<typeof sourceOperations & typeof providerOperations> = {
  registerSource: (ctx, { reach, body }) => registerSource(ctx, reach, body),
  listSources: (ctx, { reach, query }) => listSources(ctx, reach, query),
  listProviders: async () => listProviders(),
  getSource: async (ctx, { reach, params }) => {
    const [row] = await ctx.sql.look(reach.holderId, (tx) =>
      sourcesIn(tx, reach).selectAll('source').where('source.id', '=', params.source_id),
    )
    if (!row) throw new Fault('not_found')
    return wireSource(row, ctx.publicUrl)
  },
  updateSource: (ctx, { reach, params, query, body }) =>
    updateSource(ctx, reach, params.source_id, body, query.merge_adapter_config ?? false),
}

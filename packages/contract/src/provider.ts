import { operation } from './operation.ts'
import { sandboxParams } from './sandbox.ts'
import { Anything, Choice, Nullable, type Static, Type as T } from './schema.ts'

/** One way to connect a product. */
export const ProviderWay = T.Object({
  ingestion_mode: Choice(['realtime', 'polling'], {
    description: 'The product delivers to a webhook, or it is read.',
  }),
  path: T.String({ description: 'Where a source of it is registered, under the sandbox’s address.' }),
  credential: Nullable(
    T.String({ description: 'The field of the registration that takes the product’s secret; null where it has none.' }),
  ),
  forms: T.Array(T.String(), { description: 'The forms of body that its webhook takes.' }),
  settings_in: Nullable(
    T.String({ description: 'The field of the registration that takes the settings; null: they are its fields.' }),
  ),
  settings: Anything('What can be set, as a JSON Schema.'),
})
export type ProviderWay = Static<typeof ProviderWay>

/** A product that can be connected. */
export const Provider = T.Object({
  provider: T.String({ description: 'The value of `provider` that means it.' }),
  aliases: T.Array(T.String(), { description: 'Other values that mean it.' }),
  name: T.String({ description: 'Its name for people.' }),
  ways: T.Array(ProviderWay),
})
export type Provider = Static<typeof Provider>

/** What can be connected. */
export const Providers = T.Object({ providers: T.Array(Provider), count: T.Integer() })
export type Providers = Static<typeof Providers>

/** The operations on what can be connected. */
export const providerOperations = {
  listProviders: operation({
    method: 'GET',
    path: '/api/v1/storage/sandboxes/:sandbox_id/providers',
    tag: 'Sources',
    summary: 'List what can be connected, how, and what can be set',
    description: 'A product that is not listed delivers as `json` does, under any `provider` of your choice.',
    access: 'viewer',
    audit: { none: 'reads' },
    retry: 'safe',
    params: T.Object(sandboxParams),
    reply: { json: Providers },
    status: 200,
    faults: [],
  }),
}

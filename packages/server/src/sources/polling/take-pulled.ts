import type { Planes } from '../../store/planes.ts'
import type { Rates } from '../../tenancy/limits/rates.ts'
import { sandboxRate } from '../../tenancy/limits/sandbox-rate.ts'
import type { PullRun } from './pull-run.ts'

const MS_PER_SECOND = 1000

/**
 * Counts pulled records against their sandbox's minute. A page that has come is kept; when the minute is used up the
 * next one waits, without holding up the pulls of others.
 */
export function takePulled({ limits }: Pick<Planes, 'limits'>, rates: Pick<Rates, 'takeUpTo'>) {
  return async (run: PullRun, count: number): Promise<number> => {
    const { userId: holderId, sandboxId, tier } = run
    const taken = await rates.takeUpTo(sandboxRate('records', { holderId, sandboxId, tier }, limits), count)
    return taken.granted < count ? Math.max(1, taken.resetSeconds) * MS_PER_SECOND : 0
  }
}

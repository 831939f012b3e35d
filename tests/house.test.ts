import { expect, it } from 'vitest'
import { countRooms, keptRooms } from '../scripts/house.mjs'

it('no package exceeds its recorded size: `npm run house -- keep` raises it, and its commit gives the reason', () => {
  const kept = keptRooms()
  const grown = Object.entries(countRooms()).flatMap(([room, counts]) =>
    Object.entries(counts).flatMap(([what, count]) => {
      const most = kept[room]?.[what as keyof typeof counts] ?? 0
      return count > most ? [`${room}: ${count} ${what} where there were ${most}`] : []
    }),
  )
  expect(grown).toEqual([])
})

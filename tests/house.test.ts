import { expect, it } from 'vitest'
import { countRooms, keptRooms } from '../scripts/house.mjs'

it('no room holds more than was kept of it: `npm run house -- keep` lets one grow, and its commit says why', () => {
  const kept = keptRooms()
  const grown = Object.entries(countRooms()).flatMap(([room, counts]) =>
    Object.entries(counts).flatMap(([what, count]) => {
      const most = kept[room]?.[what as keyof typeof counts] ?? 0
      return count > most ? [`${room}: ${count} ${what} where there were ${most}`] : []
    }),
  )
  expect(grown).toEqual([])
})

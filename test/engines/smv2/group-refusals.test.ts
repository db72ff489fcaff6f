import { expect, test } from 'vitest'
import { changeGroup, withReadErrors } from '../../../main/engines/smv2/group-metadata.ts'
import type { OpenLink } from '../../../main/engines/smv2/link.ts'

const GROUP = '120363041234567890@g.us'

/** As the library passes on the error of a query. */
const refusedWith = (code: number) => Promise.reject(Object.assign(new Error('refused'), { data: code }))

test.each([
  [404, 'not_found'],
  [403, 'not_found'],
  [401, 'invalid_state'],
] as const)('a refusal with %i of something that only members may see is reported as %s', async (refusal, code) => {
  await expect(withReadErrors(refusedWith(refusal))).rejects.toMatchObject({ code })
})

const described = () => Promise.resolve({ id: GROUP })

test.each([
  [403, described, 'invalid_state'],
  [401, described, 'invalid_state'],
  [403, () => refusedWith(403), 'not_found'],
  [404, described, 'not_found'],
] as const)(
  'a change refused with %i gets an error that depends on the number’s access to the group',
  async (code, about, told) => {
    const open = { sock: { groupMetadata: about }, groups: { set: () => {} } } as unknown as OpenLink
    await expect(changeGroup(open, GROUP, refusedWith(code))).rejects.toMatchObject({ code: told })
  },
)

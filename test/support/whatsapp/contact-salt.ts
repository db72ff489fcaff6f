import { randomBytes } from 'node:crypto'
import { hmac, type Setting } from './setting.ts'
import { field } from './wire-field.ts'
import { lidJid } from './stanza.ts'

/** The token that an account sends with a first message to a person, unless it has a trust token from them. */
export const contactToken = (salt: Buffer, lid: string): Buffer => hmac('sha256', salt, Buffer.from(lidJid(lid)))

export const newSalt = (): Buffer => randomBytes(32)

// The library's declarations do not contain these newer fields.
const OF_HISTORY = 19
const OF_SETTING = 80

export const saltForHistory = (salt: Buffer): Buffer => field(OF_HISTORY, salt)

/** @param salt null removes the salt. */
export const saltSetting = (salt: Buffer | null): Setting => ({
  index: ['nct_salt_sync'],
  value: {},
  version: 1,
  newer: salt === null ? Buffer.alloc(0) : field(OF_SETTING, field(1, salt)),
})

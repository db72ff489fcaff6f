/** Patterns of message recipients, without anchors. */

/** A phone number with country code. */
export const NUMBER = '[0-9]{7,15}'

/** The official engine's ID for a person who hides their number: `US.13491208655302741918`. */
export const USER_ID = '[A-Z]{2}[.](?:ENT[.])?[A-Za-z0-9]{1,128}'

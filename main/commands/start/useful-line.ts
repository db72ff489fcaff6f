const LONGEST = 200

/** Prefixes of Chromium's log lines, such as `[4242:1120/165854.123456:ERROR:ozone_platform_x11.cc(250)]`. */
const HEADING = /^\[[^\]]*\]\s*/

/**
 * The first informative line of a program's error output: no control characters, no stack trace, at most 200
 * characters.
 */
export function firstUsefulLine(text: string): string | undefined {
  for (const line of text.split('\n')) {
    const said = line
      .replace(HEADING, '')
      .replace(/\p{Cc}/gu, '')
      .trim()
    if (said !== '' && !said.startsWith('at ') && !/^node:|^\^+$/.test(said)) return said.slice(0, LONGEST)
  }
  return undefined
}

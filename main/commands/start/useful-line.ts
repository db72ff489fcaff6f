const LONGEST = 200

/** Chromium's own headings, such as `[4242:1120/165854.123456:ERROR:ozone_platform_x11.cc(250)]`. */
const HEADING = /^\[[^\]]*\]\s*/

/** The first line of a program's complaints that says something: no control characters, no stack, at most 200 long. */
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

/** Processor time of this process while something runs, in milliseconds. What others do on the machine does not count. */
export async function cpuTime(act: () => unknown): Promise<number> {
  const before = process.cpuUsage()
  await act()
  const { user, system } = process.cpuUsage(before)
  return (user + system) / 1_000
}

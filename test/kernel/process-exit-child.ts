/** Waits in the system for as long as nobody writes into a pipe, as a prompt does for a person, and then ends. */
import { open } from 'node:fs/promises'
import { exitProcess, withPendingPrompt } from '../../main/kernel/process-exit.ts'

const [, , pipe = ''] = process.argv
const call = async (): Promise<unknown> => (pipe === '' ? undefined : open(pipe, 'r'))
void withPendingPrompt(call)
setTimeout(() => exitProcess(3), 200)

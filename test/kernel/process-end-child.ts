/** Waits in the system for as long as nobody writes into a pipe, as a prompt does for a person, and then ends. */
import { open } from 'node:fs/promises'
import { endProcess, waitingForPerson } from '../../main/kernel/process-end.ts'

const [, , pipe = ''] = process.argv
const call = async (): Promise<unknown> => (pipe === '' ? undefined : open(pipe, 'r'))
void waitingForPerson(call)
setTimeout(() => endProcess(3), 200)

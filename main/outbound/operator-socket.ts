import { connect, type Socket } from 'node:net'

/**
 * Opens a connection to a server that the operator configured for the whole service, such as the mail server. It may
 * be on the operator's own network, so its address is not checked.
 */
export function openOperatorSocket(
  { host, port }: { readonly host: string; readonly port: number },
  limitMs: number,
): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const socket = connect({ host, port, timeout: limitMs })
    socket.once('timeout', () => socket.destroy(new Error(`${host} does not answer.`)))
    socket.once('error', reject)
    socket.once('connect', () => {
      // The error listener stays, because an error while the socket changes owners must not be without one.
      socket.setTimeout(0).removeAllListeners('timeout')
      resolve(socket)
    })
  })
}

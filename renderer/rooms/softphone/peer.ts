interface PeerEvents {
  /** Called with the audio of the other side. */
  readonly onSound: (stream: MediaStream) => void
  /** The connection was lost, or the service closed it. */
  readonly onBroken: () => void
}

export interface Peer {
  /** Our session description, with all addresses of this computer. */
  offer(): Promise<string>
  accept(answer: string): Promise<void>
  /** Sends the audio of another microphone. */
  replace(track: MediaStreamTrack): Promise<void>
  close(): void
}

/**
 * In some networks the search for addresses never finishes, but the addresses of this computer are found immediately.
 */
const GATHER_MS = 2_000

/**
 * The audio connection between this window and the service.
 * @param microphone null if this window only listens.
 */
export function createPeer(microphone: MediaStreamTrack | null, { onSound, onBroken }: PeerEvents): Peer {
  const connection = new RTCPeerConnection()
  const sender =
    microphone === null
      ? connection.addTransceiver('audio', { direction: 'recvonly' }).sender
      : connection.addTrack(microphone, new MediaStream([microphone]))
  let isClosed = false
  connection.addEventListener('track', ({ track }) => onSound(new MediaStream([track])))
  connection.addEventListener('connectionstatechange', () => {
    const { connectionState: state } = connection
    if (!isClosed && (state === 'failed' || state === 'closed')) onBroken()
  })
  return {
    async offer() {
      await connection.setLocalDescription(await connection.createOffer())
      await gathered(connection)
      return connection.localDescription?.sdp ?? ''
    },
    accept: (sdp) => connection.setRemoteDescription({ type: 'answer', sdp }),
    replace: (track) => sender.replaceTrack(track),
    close() {
      isClosed = true
      connection.close()
    },
  }
}

async function gathered(connection: RTCPeerConnection): Promise<void> {
  if (connection.iceGatheringState === 'complete') return
  await new Promise<void>((resolve) => {
    const limit = setTimeout(resolve, GATHER_MS)
    connection.addEventListener('icegatheringstatechange', () => {
      if (connection.iceGatheringState !== 'complete') return
      clearTimeout(limit)
      resolve()
    })
  })
}

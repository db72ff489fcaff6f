interface PeerEvents {
  /** The other side's sound. */
  readonly onSound: (stream: MediaStream) => void
  /** The connection broke, or was closed by the service. */
  readonly onBroken: () => void
}

export interface Peer {
  /** Our session description, with every address of this computer. */
  offer(): Promise<string>
  accept(answer: string): Promise<void>
  /** Sends another microphone's sound. */
  replace(track: MediaStreamTrack): Promise<void>
  close(): void
}

/** Some networks never finish looking for addresses; those of this computer are there at once. */
const GATHER_MS = 2_000

/**
 * The way of sound between this window and the service.
 * @param microphone null: this window only listens.
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

import { useResource, type Resource } from '../instances/use-resource.ts'

/** The answer of one read about an instance's agents, repeated whenever they change. */
export const useAiResource = <T>(instanceId: string, read: () => Promise<T>, everyMs?: number): Resource<T> =>
  useResource(read, ({ topic, instance_id: id }) => topic === 'ai' && (id === undefined || id === instanceId), everyMs)

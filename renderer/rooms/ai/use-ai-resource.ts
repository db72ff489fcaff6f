import { useResource, type Resource } from '../instances/use-resource.ts'

/** What the service answers to one read about the agents of an instance, repeated whenever they change. */
export const useAiResource = <T>(instanceId: string, read: () => Promise<T>, everyMs?: number): Resource<T> =>
  useResource(read, ({ topic, instance_id: id }) => topic === 'ai' && (id === undefined || id === instanceId), everyMs)

/// Documents that providers publish, by URL: key sets and discovery documents. Requests for one document share a fetch.
actor RemoteDocumentCache<Document: Sendable> {
    typealias Version = CachedDocument<Document>.Version

    struct Fetched: Sendable {
        var document: Document
        var maximumAge: Duration?
    }

    /// URLs come from configurations. Beyond this number the cache starts again.
    static var maximumEntries: Int { 1000 }

    private let fetch: @Sendable (_ url: String) async throws -> Fetched
    private let instant: @Sendable () -> ContinuousClock.Instant
    private var entries: [String: CachedDocument<Document>] = [:]
    private var fetches: [String: Task<Version, any Error>] = [:]

    /// - Parameter fetch: throws `providerUnavailable`.
    init(
        instant: @escaping @Sendable () -> ContinuousClock.Instant,
        fetch: @escaping @Sendable (_ url: String) async throws -> Fetched
    ) {
        self.instant = instant
        self.fetch = fetch
    }

    /// The document, from the cache if possible.
    /// - Throws: what `fetch` throws, without a usable older version.
    func document(at url: String) async throws -> Version {
        switch entries[url, default: .init()].request(at: instant()) {
        case .use(let version): return version
        case .fetch(orUse: nil): return try await shareFetch(of: url)
        case .fetch(orUse: let older?):
            do {
                return try await shareFetch(of: url)
            } catch {
                return older
            }
        }
    }

    /// A version after `outdated`: one that was fetched meanwhile, or a new one.
    /// - Returns: nil when there is none, or a fetch is not due.
    func newerDocument(at url: String, than outdated: Version) async -> Version? {
        if let running = fetches[url] { return try? await running.value }  // `try?`: the older version stays.
        if let version = entries[url]?.version, version.fetchedAt > outdated.fetchedAt { return version }
        guard entries[url, default: .init()].requestNewer(at: instant()) else { return nil }
        return try? await shareFetch(of: url)
    }

    private func shareFetch(of url: String) async throws -> Version {
        if let running = fetches[url] { return try await running.value }
        // Not a child: the end of one request does not end the fetch of the others.
        let task = Task { try await run(url) }
        fetches[url] = task
        return try await task.value
    }

    private func run(_ url: String) async throws -> Version {
        defer { fetches[url] = nil }
        let fetched: Fetched
        do {
            fetched = try await fetch(url)
        } catch {
            entries[url]?.recordFailure(at: instant())
            throw error
        }
        if entries.count >= Self.maximumEntries { entries = [:] }
        return entries[url, default: .init()].record(fetched.document, maximumAge: fetched.maximumAge, at: instant())
    }
}

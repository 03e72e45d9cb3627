import Contracts

/// The client of a request as its user recognizes it: the families of browser and system, without versions and models.
///
/// It is read from `User-Agent`, which a client chooses, so it proves nothing.
struct ClientDevice: Equatable, Sendable {
    private var client: String?
    private var system: String?

    /// Bytes of a user agent that are read.
    static let maximumBytes = 256

    /// - Returns: nil for a client that it does not know.
    init?(userAgent: String) {
        let bytes = Array(userAgent.utf8.prefix(Self.maximumBytes))
        client = Self.first(of: Self.clients, in: bytes)
        system = Self.first(of: Self.systems, in: bytes)
        if client == nil, system == nil { return nil }
    }

    /// One of the names below, or one of each: `Firefox (Windows)`. The same in every language.
    var name: String {
        switch (client, system) {
        case (let client?, let system?): "\(client) (\(system))"
        case (let name?, nil), (nil, let name?): name
        case (nil, nil): ""
        }
    }

    /// Most user agents also contain the marks of browsers that they resemble, so the order matters.
    private static let clients: [(mark: String, name: String)] = [
        ("Edg/", "Edge"), ("EdgA/", "Edge"), ("EdgiOS/", "Edge"), ("OPR/", "Opera"), ("OPT/", "Opera"),
        ("SamsungBrowser/", "Samsung Internet"), ("Vivaldi/", "Vivaldi"), ("DuckDuckGo/", "DuckDuckGo"),
        ("Firefox/", "Firefox"), ("FxiOS/", "Firefox"), ("CriOS/", "Chrome"), ("Chromium/", "Chromium"),
        ("Chrome/", "Chrome"), ("Version/", "Safari"), ("curl/", "curl"), ("python-requests/", "Python"),
        ("node", "Node.js"),
    ]
    /// iPhones name macOS, and Android names Linux.
    private static let systems: [(mark: String, name: String)] = [
        ("iPhone", "iPhone"), ("iPad", "iPad"), ("Android", "Android"), ("CrOS ", "ChromeOS"), ("Windows", "Windows"),
        ("Macintosh", "macOS"), ("macOS", "macOS"), ("Linux", "Linux"),
    ]

    private static func first(of marks: [(mark: String, name: String)], in bytes: [UInt8]) -> String? {
        marks.first { contains($0.mark, bytes) }?.name
    }

    private static func contains(_ mark: String, _ bytes: [UInt8]) -> Bool {
        var rest = bytes[...]
        while rest.count >= mark.utf8.count {
            if rest.starts(with: mark.utf8) { return true }
            rest.removeFirst()
        }
        return false
    }
}

extension ClientContext {
    /// The name of its `ClientDevice`.
    var device: String? { userAgent.flatMap { ClientDevice(userAgent: $0) }?.name }
}

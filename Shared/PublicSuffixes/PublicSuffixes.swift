internal import CPublicSuffix

/// The public suffix list (publicsuffix.org) that is compiled into libpsl: domains below which anyone can register a
/// name, such as `com`, `co.uk` and `github.io`. An unknown top-level domain is a public suffix.
package enum PublicSuffixes {
    /// The list is constant data of the library: it needs no `psl_free`, and all threads may read it.
    nonisolated(unsafe) private static let list = psl_builtin()

    /// - Parameter domain: in lower case, without a trailing dot; international names in either form.
    package static func contains(_ domain: String) -> Bool {
        psl_is_public_suffix(list, domain) == 1
    }

    /// The registrable domain of a host: the public suffix and one label. Nil if the host is a public suffix.
    /// - Parameter host: as in `contains(_:)`.
    package static func registrableDomain(of host: String) -> String? {
        // The result points into the argument, so it is copied before the call of the closure ends.
        host.withCString { text in psl_registrable_domain(list, text).map { String(cString: $0) } }
    }
}

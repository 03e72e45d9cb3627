import PublicSuffixes
import Testing

@Suite struct PublicSuffixesTests {
    @Test(arguments: ["com", "co.uk", "github.io", "xn--p1ai", "ck", "www2.ck", "unknown-tld", "localhost"])
    func publicSuffixIsListed(domain: String) {
        #expect(PublicSuffixes.contains(domain))
        #expect(PublicSuffixes.registrableDomain(of: domain) == nil)
    }

    @Test(arguments: [
        ("example.com", "example.com"), ("a.b.example.com", "example.com"), ("example.co.uk", "example.co.uk"),
        ("shop.github.io", "shop.github.io"), ("app.example.unknown-tld", "example.unknown-tld"),
        // An exception to the rule `*.ck`.
        ("www.ck", "www.ck"),
    ])
    func otherDomainHasRegistrableDomain(host: String, domain: String) {
        #expect(!PublicSuffixes.contains(host))
        #expect(PublicSuffixes.registrableDomain(of: host) == domain)
    }
}

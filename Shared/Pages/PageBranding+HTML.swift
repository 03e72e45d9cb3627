import Vocabulary

extension PageBranding {
    /// The name and the logo. Without a logo, the first letter of the name. Nil without a name.
    var head: HTML? {
        guard let name else { return nil }
        let logo: HTML =
            logoPath.map { #"<img class="logo" src="\#($0)" alt="" width="36" height="36" />"# }
            ?? #"<span class="logo" aria-hidden="true">\#(String(name.prefix(1)).uppercased())</span>"#
        return #"<header class="brand">\#(logo)<bdi>\#(name)</bdi></header>"#
    }

    /// Links to help, terms and privacy. Nil without any.
    func foot(in language: Language) -> HTML? {
        let texts = texts(in: language).pages.foot
        let links = [
            (supportAddress.map { "mailto:\($0.rawValue)" } ?? supportPage?.text, texts.help),
            (termsURL?.text, texts.terms),
            (privacyURL?.text, texts.privacy),
        ].compactMap { address, label in
            address.map { #"<a href="\#($0)" rel="noreferrer">\#(label)</a> "# as HTML }
        }
        return links.isEmpty ? nil : #"<footer class="foot">\#(links)</footer>"#
    }
}

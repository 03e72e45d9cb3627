/// The signs of the pages, drawn by us: on a grid of 24, with round strokes. They accompany words, so screen readers pass
/// over them.
package enum PageIcon: CaseIterable, Sendable {
    case alert, check, clock, code, device, envelope, globe, key, link, list, lock, passkey, person, phone, pencil,
        shield, trash

    package var html: HTML {
        #"<svg class="icon" viewBox="0 0 24 24" aria-hidden="true" focusable="false">\#(drawing)</svg>"#
    }

    private var drawing: HTML {
        switch self {
        case .alert: #"<circle cx="12" cy="12" r="9"/><path d="M12 7.500v5.500M12 16.500v.1"/>"#
        case .check: #"<circle cx="12" cy="12" r="9"/><path d="m8 12.500 3 3 5.500-6.500"/>"#
        case .clock: #"<circle cx="12" cy="12" r="9"/><path d="M12 7v5.500l3.500 2"/>"#
        case .code: #"<rect x="3" y="6" width="18" height="12" rx="2"/><path d="M7.500 12h.1M12 12h.1M16.500 12h.1"/>"#
        case .device: #"<rect x="4" y="5" width="16" height="11" rx="2"/><path d="M2.500 19.500h19"/>"#
        case .envelope: #"<rect x="3" y="5" width="18" height="14" rx="2"/><path d="m4 7 8 6 8-6"/>"#
        case .globe:
            #"<circle cx="12" cy="12" r="9"/><path d="M3 12h18M12 3c3 3 3 15 0 18M12 3c-3 3-3 15 0 18"/>"#
        case .key: #"<circle cx="8" cy="15" r="4"/><path d="m11 12 8-8M16 7l3 3"/>"#
        case .link:
            #"<path d="M10 14a4 4 0 0 0 6 .5l3-3a4 4 0 0 0-5.700-5.700L12 7M14 10a4 4 0 0 0-6-.5l-3 3a4 4 0 0 0 5.700 5.700L12 17"/>"#
        case .list: #"<path d="M5 4h14v16H5zM9 9h6M9 13h6"/>"#
        case .lock: #"<rect x="5" y="10" width="14" height="10" rx="2"/><path d="M8 10V7.500a4 4 0 0 1 8 0V10"/>"#
        // A person beside a key, as the guidelines of FIDO and Apple show it.
        case .passkey:
            #"<circle cx="9" cy="7.500" r="3.500"/><path d="M2.500 19.500c0-4 2.500-6 6.500-6 1.500 0 2.800.3 3.800.9"/><circle cx="18" cy="12" r="2.750"/><path d="M18 14.750V21l1.800-1.700M18 18l1.500-1.200"/>"#
        case .person: #"<circle cx="12" cy="8" r="4"/><path d="M4.500 20c.5-4 3.500-6 7.500-6s7 2 7.500 6"/>"#
        case .phone: #"<rect x="7" y="3" width="10" height="18" rx="2"/><path d="M11 18h2"/>"#
        case .pencil: #"<path d="m4 20 1-4L16.500 4.500l3 3L8 19z"/>"#
        case .shield: #"<path d="M12 3 5 6v5.500c0 4.500 3 7.500 7 9.500 4-2 7-5 7-9.500V6z"/>"#
        case .trash: #"<path d="M5 7h14M10 7V4h4v3M7 7l1 13h8l1-13"/>"#
        }
    }
}

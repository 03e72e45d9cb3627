/// The signs of the pages, drawn by us: on a grid of 24, with round strokes. Identity providers have their own marks. They
/// accompany words, so screen readers pass over them.
package enum PageIcon: CaseIterable, Sendable {
    case alert, check, clock, code, device, envelope, globe, key, link, list, lock, passkey, person, phone, pencil,
        shield, trash
    case apple, facebook, gitHub, google, linkedIn, microsoft

    package var html: HTML {
        #"<svg class="\#(mark == nil ? "icon" : "mark")" viewBox="0 0 24 24" aria-hidden="true" focusable="false">\#(mark ?? drawing)</svg>"#
    }

    private var drawing: HTML? {
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
        case .apple, .facebook, .gitHub, .google, .linkedIn, .microsoft: nil
        }
    }

    /// As the guidelines of the providers show it; in the color of the text where they allow that.
    private var mark: HTML? {
        switch self {
        case .alert, .check, .clock, .code, .device, .envelope, .globe, .key, .link, .list, .lock, .passkey, .person,
            .phone, .pencil, .shield, .trash:
            nil
        case .apple:
            ##"<path d="M12.152 6.896c-.948 0-2.415-1.078-3.96-1.04-2.04.027-3.91 1.183-4.961 3.014-2.117 3.675-.546 9.103 1.519 12.09 1.013 1.454 2.208 3.09 3.792 3.039 1.52-.065 2.09-.987 3.935-.987 1.831 0 2.35.987 3.96.948 1.637-.026 2.676-1.48 3.676-2.948 1.156-1.688 1.636-3.325 1.662-3.415-.039-.013-3.182-1.221-3.22-4.857-.026-3.04 2.48-4.494 2.597-4.559-1.429-2.09-3.623-2.324-4.39-2.376-2-.156-3.675 1.09-4.61 1.09zM15.53 3.83c.843-1.012 1.4-2.427 1.245-3.83-1.207.052-2.662.805-3.532 1.818-.78.896-1.454 2.338-1.273 3.714 1.338.104 2.715-.688 3.559-1.701"/>"##
        case .facebook:
            ##"<path fill="#1877f2" d="M24 12.073c0-6.627-5.373-12-12-12s-12 5.373-12 12c0 5.99 4.388 10.954 10.125 11.854v-8.385H7.078v-3.47h3.047V9.43c0-3.007 1.792-4.669 4.533-4.669 1.312 0 2.686.235 2.686.235v2.953H15.83c-1.491 0-1.956.925-1.956 1.874v2.25h3.328l-.532 3.47h-2.796v8.385C19.612 23.027 24 18.062 24 12.073z"/>"##
        case .gitHub:
            ##"<path transform="scale(1.5)" d="M8 0a8 8 0 0 1 2.55 15.59c-.4.08-.55-.17-.55-.38 0-.27.01-1.13.01-2.2 0-.75-.25-1.23-.54-1.48 1.78-.2 3.65-.88 3.65-3.95 0-.88-.31-1.59-.82-2.15.08-.2.36-1.02-.08-2.12 0 0-.67-.22-2.2.82a7.6 7.6 0 0 0-4 0c-1.53-1.03-2.2-.82-2.2-.82-.44 1.1-.16 1.92-.08 2.12-.51.56-.82 1.28-.82 2.15 0 3.06 1.86 3.75 3.64 3.95-.23.2-.44.55-.51 1.07-.46.21-1.61.55-2.33-.66-.15-.24-.6-.83-1.23-.82-.67.01-.27.38.01.53.34.19.73.9.82 1.13.16.45.68 1.31 2.69.94 0 .67.01 1.3.01 1.49 0 .21-.15.45-.55.38A8 8 0 0 1 8 0Z"/>"##
        case .google:
            ##"<path fill="#4285f4" d="M22.56 12.25c0-.78-.07-1.53-.2-2.25H12v4.26h5.92c-.26 1.37-1.04 2.53-2.21 3.31v2.77h3.57c2.08-1.92 3.28-4.74 3.28-8.09z"/><path fill="#34a853" d="M12 23c2.97 0 5.46-.98 7.28-2.66l-3.57-2.77c-.98.66-2.23 1.06-3.71 1.06-2.86 0-5.29-1.93-6.16-4.53H2.18v2.84C3.99 20.53 7.7 23 12 23z"/><path fill="#fbbc05" d="M5.84 14.09c-.22-.66-.35-1.36-.35-2.09s.13-1.43.35-2.09V7.07H2.18C1.43 8.55 1 10.22 1 12s.43 3.45 1.18 4.93z"/><path fill="#ea4335" d="M12 5.38c1.62 0 3.06.56 4.21 1.64l3.15-3.15C17.45 2.09 14.97 1 12 1 7.7 1 3.99 3.47 2.18 7.07l3.66 2.84c.87-2.6 3.3-4.53 6.16-4.53z"/>"##
        case .linkedIn:
            ##"<path fill="#0a66c2" d="M20.447 20.452h-3.554v-5.569c0-1.328-.027-3.037-1.852-3.037-1.853 0-2.136 1.445-2.136 2.939v5.667H9.351V9h3.414v1.561h.046c.477-.9 1.637-1.85 3.37-1.85 3.601 0 4.267 2.37 4.267 5.455zM5.337 7.433a2.064 2.064 0 1 1 0-4.128 2.064 2.064 0 0 1 0 4.128zm1.782 13.019H3.555V9h3.564zM22.225 0H1.771C.792 0 0 .774 0 1.729v20.542C0 23.227.792 24 1.771 24h20.451C23.2 24 24 23.227 24 22.271V1.729C24 .774 23.2 0 22.222 0z"/>"##
        case .microsoft:
            ##"<path fill="#f25022" d="M1 1h10.5v10.5H1z"/><path fill="#7fba00" d="M12.5 1H23v10.5H12.5z"/><path fill="#00a4ef" d="M1 12.5h10.5V23H1z"/><path fill="#ffb900" d="M12.5 12.5H23V23H12.5z"/>"##
        }
    }
}
